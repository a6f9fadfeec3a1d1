export {
  BaseConfig,
  BrokerUrl,
  Duration,
  environmentNames,
  Integer,
  parseConfig,
  StateStoreUrl,
} from "./config.ts";
export type { Health, HealthReport } from "./health.ts";
export { repeat, type Repetition } from "./repeat.ts";
export { runService, type ServiceContext } from "./run-service.ts";
export type { Logger } from "pino";
