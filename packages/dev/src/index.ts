export { serviceMains } from "./services/service-mains.ts";
