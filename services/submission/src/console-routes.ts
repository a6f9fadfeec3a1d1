import type { FastifyInstance } from "fastify";
import { describe, ref } from "./api/describe.ts";

interface Dependencies {
  /** The address of a trace; null: nothing is known of where traces are. */
  readonly traceUrlTemplate: string | null;
}

/** Shows what the console must know before anyone has logged in. Nothing of it is a secret. */
export function consoleRoutes(app: FastifyInstance, { traceUrlTemplate }: Dependencies): void {
  const schema = describe({
    id: "getConsoleSettings",
    tag: "service",
    summary: "What the console must know of this installation.",
    isOpen: true,
    answers: { "200": { words: "The settings.", schema: ref("ConsoleSettings") } },
  });
  app.get("/v1/console-settings", { schema }, async () => ({ traceUrlTemplate }));
}
