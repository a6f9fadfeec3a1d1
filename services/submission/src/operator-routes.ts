import { wholeTaskEvents } from "@holdfast/domain";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { storableName } from "./act-body.ts";
import { type OperatorDependencies, operatorRoute } from "./operators/apply-request.ts";
import { pauseRoutes } from "./operators/pause-routes.ts";
import { remoteRoutes } from "./operators/remote-routes.ts";
import { resolveRoute } from "./operators/resolve-route.ts";
import { resubmitRoute } from "./operators/resubmit-route.ts";
import { Problem } from "./problem.ts";

const summaries: Readonly<Record<keyof typeof wholeTaskEvents, string>> = {
  cancel: "Undoes what the task began, and begins nothing more of it.",
  pause: "Begins no further step until the task is resumed.",
  resume: "Ends a pause.",
};

/** Cancels, pauses and resumes a task as a whole. */
function wholeTaskRoutes(app: FastifyInstance, deps: OperatorDependencies): void {
  for (const [act, summary] of Object.entries(summaries)) {
    const event = wholeTaskEvents[act as keyof typeof wholeTaskEvents];
    const route = { path: act, id: `${act}Task`, summary };
    operatorRoute(app, deps, { ...route, reports: () => ({ event }) });
  }
}

/**
 * What operators do to tasks, Agents and workflows. Each request names its actor and its reason,
 * that about a task also the version that was seen, and goes through the state machine like
 * everything else. A task that changed meanwhile is answered with 412, and so is a double click.
 */
export function operatorRoutes(app: FastifyInstance, deps: OperatorDependencies): void {
  wholeTaskRoutes(app, deps);
  stepRoutes(app, deps);
  resubmitRoute(app, deps);
  resolveRoute(app, deps);
  pauseRoutes(app, deps);
  remoteRoutes(app, deps);
}

/** What an operator does to one step, by the end of its route. */
const stepActs = {
  retry: {
    id: "retryStep",
    summary: "Ends the delay of a step.",
    event: (step: string) => ({ kind: "retryRequested", step }) as const,
  },
  fire: {
    id: "fireStep",
    summary: "Ends the wait of a step before its time.",
    event: (step: string) => ({ kind: "waitEnded", step, by: "operator" }) as const,
  },
};

/** Ends the delay, or the wait, of a step. */
function stepRoutes(app: FastifyInstance, deps: OperatorDependencies): void {
  for (const [act, { id, summary, event }] of Object.entries(stepActs)) {
    operatorRoute(app, deps, {
      path: `steps/:step/${act}`,
      id,
      summary,
      codes: { 404: ["task.unknown_step"] },
      params: { step: Type.String({ ...storableName, description: "The name of the step." }) },
      reports({ steps }, { params: { step = "" } }) {
        if (!steps.some(({ name }) => name === step)) {
          const names = steps.map(({ name }) => name).join(", ");
          throw new Problem(
            404,
            "task.unknown_step",
            `The task has no step ${step}. Its steps: ${names}.`,
          );
        }
        return { event: event(step) };
      },
    });
  }
}
