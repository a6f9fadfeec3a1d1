import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { storableName } from "../act-body.ts";
import { Problem } from "../problem.ts";
import { type OperatorDependencies, operatorRoute } from "./apply-request.ts";

/** Ends the delay of a step. */
export function retryRoute(app: FastifyInstance, deps: OperatorDependencies): void {
  operatorRoute(app, deps, {
    path: "steps/:step/retry",
    id: "retryStep",
    summary: "Ends the delay of a step.",
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
      return { event: { kind: "retryRequested", step } };
    },
  });
}
