export { asRole } from "./as-role.ts";
export { checkOut, describeThis, newestRelease } from "./check-out.ts";
export { type PartnerFaults, readFaultSettings, setFaultSettings } from "./fault-settings.ts";
export { jumpClock, jumpingClock } from "./jumping-clock.ts";
export { type KeptProcess, keepAllRunning, keepRunning } from "./keep-running.ts";
export { openStore } from "./open-store.ts";
export { openRunFolder, type RunFolder, runMain, runTool, startRunServers } from "./run-tool.ts";
export {
  environmentOf,
  operatorToken,
  type ServiceName,
  type StoreRole,
  type SystemPlaces,
  storeRoles,
  theShop,
} from "./service-environment.ts";
export {
  type DefinitionsOf,
  type ShippedBroker,
  type SystemBroker,
  shipBroker,
} from "./ship-broker.ts";
export {
  type LaunchedProcess,
  type LaunchedService,
  type LogLine,
  launchService,
  type ServiceProcess,
  type StartOptions,
  startService,
} from "./start-service.ts";
export { type System, type SystemOptions, startSystem } from "./start-system.ts";
export { migrateWithStoreClock, type StoreClock } from "./store-clock.ts";
export { withLimits } from "./with-limits.ts";
