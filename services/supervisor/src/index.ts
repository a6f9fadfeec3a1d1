export { type RecoveryStore, type SupervisorOptions, supervisor } from "./supervisor.ts";
