import { Payload } from "@holdfast/contracts";
import { type Json, stepKinds } from "@holdfast/domain";
import type { StepRecord, TaskRecord } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { storableName } from "../act-body.ts";
import { Problem } from "../problem.ts";
import { type OperatorDependencies, operatorRoute, requestBodyWith } from "./apply-request.ts";
import { codesOfFailedStep, failedStep } from "./failed-step.ts";
import { mustBeStorable } from "./must-be-storable.ts";

const ResubmitBody = requestBodyWith({
  step: Type.Optional(
    Type.String({ ...storableName, description: "Its name; not needed if only one step failed." }),
  ),
  input: Type.Optional(
    Type.Unsafe<Json>({
      ...Payload,
      description: "Another input of the step; without it the same again.",
    }),
  ),
});

/** Starts a failed step afresh, with the input that it had or a corrected one. */
export function resubmitRoute(app: FastifyInstance, deps: OperatorDependencies): void {
  operatorRoute<Static<typeof ResubmitBody>>(app, deps, {
    path: "resubmit",
    id: "resubmitStep",
    summary: "Retries a step that failed for good.",
    codes: { ...codesOfFailedStep, 422: ["task.undo_has_no_input"] },
    body: ResubmitBody,
    async reports(task, { body: { step: name, input } }) {
      const failed = failedStep(task, name);
      const inputChanged = input !== undefined;
      if (inputChanged) await mustBeUsable(input, { task, failed }, deps.store);
      const { name: step, attempt } = failed;
      return {
        event: { kind: "resubmitted", step, attempt, inputChanged },
        ...(inputChanged ? { correctedInput: input } : {}),
      };
    },
  });
}

interface Target {
  readonly task: TaskRecord;
  readonly failed: StepRecord;
}

/** Throws a 422 for an input that the step cannot have, or that its Agent would refuse. */
async function mustBeUsable(
  input: Json,
  { task, failed }: Target,
  store: OperatorDependencies["store"],
): Promise<void> {
  mustBeStorable(input, "input");
  if (!stepKinds[failed.kind].hasCorrectableInput) {
    throw new Problem(422, "task.undo_has_no_input", "The input of an undo cannot be changed.");
  }
  const stored = await store.findWorkflow(task.workflow);
  const fault = (await stored?.contracts.input(failed.name, input)) ?? null;
  if (fault === null) return;
  throw new Problem(
    422,
    "request.invalid",
    `${fault.message}. The Agent ${failed.agent} would refuse it.`,
  );
}
