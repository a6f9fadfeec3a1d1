import type { Guard } from "./guarded-server.ts";

/** The options by which fastify takes a guarded server instead of making one. */
export const guardedOptions = (guard: Guard) => ({
  serverFactory: guard.server,
  // The guard answers what is no request.
  clientErrorHandler: (): void => {},
});
