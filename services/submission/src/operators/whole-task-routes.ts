import { wholeTaskEvents } from "@holdfast/domain";
import type { FastifyInstance } from "fastify";
import { type OperatorDependencies, operatorRoute } from "./apply-request.ts";

const summaries: Readonly<Record<keyof typeof wholeTaskEvents, string>> = {
  undo: "Undoes the task.",
  cancel: "Undoes the task, with another reason in its history.",
  pause: "Begins no further step until the task is resumed.",
  resume: "Ends a pause.",
};

/** Undoes, cancels, pauses and resumes a task as a whole. */
export function wholeTaskRoutes(app: FastifyInstance, deps: OperatorDependencies): void {
  for (const [act, summary] of Object.entries(summaries)) {
    const event = wholeTaskEvents[act as keyof typeof wholeTaskEvents];
    const route = { path: act, id: `${act}Task`, summary };
    operatorRoute(app, deps, { ...route, reports: () => ({ event }) });
  }
}
