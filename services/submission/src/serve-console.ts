import { consoleRoutes } from "@holdfast/console-service";
import type { FastifyInstance } from "fastify";

interface ServedConsole {
  readonly isOn: boolean;
  /** What the service is there for. */
  readonly role: "all" | "tasks" | "operations";
}

/**
 * Serves the console where the operators' routes are. Its routes leave those of the API as they
 * are.
 */
export function serveConsole(http: FastifyInstance, { isOn, role }: ServedConsole): void {
  if (isOn && role !== "tasks") http.register(async (scope) => consoleRoutes(scope));
}
