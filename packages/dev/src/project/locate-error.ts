export { type LocatedError, locateError } from "@holdfast/runtime/modules";

/**
 * An error of a project's own function, or of a library, does not say of which definition it is.
 */
export const namedIn = (message: string, name: string): string =>
  message.startsWith(name) ? message : `${name}: ${message}`;
