import { Payload } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { resolveFault, type StepRecord, type TaskRecord } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { storableName } from "../act-body.ts";
import { Problem } from "../problem.ts";
import { type OperatorDependencies, operatorRoute, requestBodyWith } from "./apply-request.ts";
import { codesOfFailedStep, failedStep } from "./failed-step.ts";
import { mustBeStorable } from "./must-be-storable.ts";

const ResolveBody = requestBodyWith({
  step: Type.Optional(
    Type.String({ ...storableName, description: "Its name; not needed if only one step failed." }),
  ),
  output: Type.Optional(
    Type.Unsafe<Json>({ ...Payload, description: "What the step returned: later steps use it." }),
  ),
});

/** Marks a failed step as done by hand, with the output that later steps use. */
export function resolveRoute(app: FastifyInstance, deps: OperatorDependencies): void {
  operatorRoute<Static<typeof ResolveBody>>(app, deps, {
    path: "resolve",
    id: "resolveStep",
    summary: "Records what a person did instead of a failed step.",
    codes: codesOfFailedStep,
    body: ResolveBody,
    async reports(task, { body: { step, output } }) {
      const failed = failedStep(task, step);
      await mustBeUsable(output, { task, failed }, deps.store);
      return {
        event: { kind: "resolved", step: failed.name, attempt: failed.attempt },
        output: output ?? null,
      };
    },
  });
}

interface Target {
  readonly task: TaskRecord;
  readonly failed: StepRecord;
}

/** Throws a 422 for an output that cannot be stored, or on which the steps after it cannot rely. */
async function mustBeUsable(
  output: Json | undefined,
  { task, failed }: Target,
  store: OperatorDependencies["store"],
): Promise<void> {
  if (output !== undefined) mustBeStorable(output, "output");
  const stored = await store.findWorkflow(task.workflow);
  const fault = await resolveFault(stored?.contracts ?? null, failed, output);
  if (fault === null) return;
  const { message, isMissing } = fault;
  throw new Problem(
    422,
    "request.invalid",
    isMissing ? `${message}.` : `${message}. The steps after ${failed.name} rely on its contract.`,
  );
}
