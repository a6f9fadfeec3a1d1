import { consoleRoutes } from "@holdfast/console-service";
import type { FastifyInstance } from "fastify";

interface Options {
  readonly isOn: boolean;
  /** What the service is there for. */
  readonly duty: "all" | "tasks" | "operations";
}

/** Serves the console where the operators' routes are. Its routes leave those of the API as they are. */
export function serveConsole(http: FastifyInstance, { isOn, duty }: Options): void {
  if (isOn && duty !== "tasks") http.register(async (scope) => consoleRoutes(scope));
}
