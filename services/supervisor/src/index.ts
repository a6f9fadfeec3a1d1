export { type SupervisorOptions, type SupervisorStore, supervisor } from "./supervisor.ts";
