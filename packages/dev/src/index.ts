export { runDev } from "./run-dev.ts";
export { type ServiceName, serviceMains } from "./services/service-mains.ts";
