export {
  type LogLine,
  type ServiceProcess,
  type StartOptions,
  startService,
} from "./start-service.ts";
export { type ServiceName, type System, type SystemOptions, startSystem } from "./start-system.ts";
