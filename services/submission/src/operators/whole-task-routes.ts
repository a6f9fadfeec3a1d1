import { wholeTaskEvents } from "@holdfast/domain";
import type { FastifyInstance } from "fastify";
import { type OperatorDependencies, operatorRoute } from "./apply-request.ts";

const summaries: Readonly<Record<keyof typeof wholeTaskEvents, string>> = {
  cancel: "Undoes what the task began, and begins nothing more of it.",
  pause: "Begins no further step until the task is resumed.",
  resume: "Ends a pause.",
};

/** Cancels, pauses and resumes a task as a whole. */
export function wholeTaskRoutes(app: FastifyInstance, deps: OperatorDependencies): void {
  for (const [act, summary] of Object.entries(summaries)) {
    const event = wholeTaskEvents[act as keyof typeof wholeTaskEvents];
    const route = { path: act, id: `${act}Task`, summary };
    operatorRoute(app, deps, { ...route, reports: () => ({ event }) });
  }
}
