export { type LocatedError, locateError } from "@holdfast/runtime/modules";
