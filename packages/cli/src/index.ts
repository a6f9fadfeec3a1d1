export { serviceMains } from "@holdfast/dev";
