export { asRole } from "./as-role.ts";
export { isEnded, judgeOrders, stateOf, type Verdict } from "./judge-orders.ts";
export { type ShippedBroker, type SystemBroker, shipBroker } from "./ship-broker.ts";
export {
  type LaunchedProcess,
  type LaunchedService,
  type LogLine,
  type ServiceProcess,
  type StartOptions,
  startService,
} from "./start-service.ts";
export {
  operatorToken,
  type ServiceName,
  type System,
  type SystemOptions,
  startSystem,
} from "./start-system.ts";
export { withLimits } from "./with-limits.ts";
