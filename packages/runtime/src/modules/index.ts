export { loadModule, ModuleFault, watchLoad } from "./load-module.ts";
export { type LocatedError, locateError } from "./locate-error.ts";
export { filesSeen, resolveSources } from "./resolve-sources.ts";
