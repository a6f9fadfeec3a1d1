export type { Logger } from "pino";
export { type Clock, sleep, systemClock } from "./clock.ts";
export { commandLine } from "./command-line.ts";
export {
  BaseConfig,
  BrokerUrl,
  Duration,
  DurationOrOff,
  Events,
  environmentNames,
  Integer,
  MaxMessageBytes,
  parseConfig,
  StateStoreUrl,
} from "./config.ts";
export type { Failpoint } from "./failpoint.ts";
export { gather, overload } from "./gather.ts";
export { type Health, type HealthReport, openHealth } from "./health.ts";
export { injectedFaults } from "./injected-faults.ts";
export { type Repetition, repeat } from "./repeat.ts";
export { runProcess, runService, type ServiceContext } from "./run-service.ts";
export { seededRandom } from "./seeded-random.ts";
export { serverUrls } from "./server-urls.ts";
