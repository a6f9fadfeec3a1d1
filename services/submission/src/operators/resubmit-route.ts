import { Payload } from "@holdfast/contracts";
import { type FaultCode, type Json, type JsonPatch, stepKinds } from "@holdfast/domain";
import { patchInputs, type StepRecord, type TaskRecord } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { storableName } from "../act-body.ts";
import { invalidRequest, Problem } from "../problem.ts";
import { unusable } from "../workflow-directory.ts";
import { type OperatorDependencies, operatorRoute, requestBodyWith } from "./apply-request.ts";
import { codesOfFailedStep, failedStep } from "./failed-step.ts";
import { mustBeStorable } from "./must-be-storable.ts";
import { PatchField } from "./patch-body.ts";

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
  patch: PatchField,
});

/** Starts a failed step afresh, with the input that it had or a corrected one. */
export function resubmitRoute(app: FastifyInstance, deps: OperatorDependencies): void {
  operatorRoute<Static<typeof ResubmitBody>>(app, deps, {
    path: "resubmit",
    id: "resubmitStep",
    summary: "Retries a step that failed for good.",
    codes: {
      ...codesOfFailedStep,
      422: ["task.patch_not_applicable", "task.undo_has_no_input"],
    },
    body: ResubmitBody,
    async reports(task, { body: { step: name, input: given, patch } }) {
      const failed = failedStep(task, name);
      if (given !== undefined && patch !== undefined) {
        throw invalidRequest([{ pointer: "/patch", detail: "and input cannot both be given" }]);
      }
      if (given !== undefined) await mustBeUsable(given, { task, failed }, deps.store);
      const input =
        patch === undefined ? given : await patched(patch, { task, failed }, deps.store);
      const inputChanged = input !== undefined;
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

/**
 * The input that the step has, with these changes. Throws a 422 where they do not fit, or the Agent
 * would refuse that.
 */
async function patched(
  patch: JsonPatch,
  { task: { taskId, workflow: name }, failed }: Target,
  store: OperatorDependencies["store"],
): Promise<Json> {
  const workflow = await store.findWorkflow(name);
  if (workflow === null) throw unusable();
  const targets = [{ taskId, step: failed, workflow }];
  const found = (await patchInputs(store.loadValues, targets, patch)).get(taskId);
  if (found === undefined) throw unusable();
  if ("input" in found) return found.input;
  const { code, message, pointer } = found;
  const isOurs = code.startsWith("task.");
  const errors = pointer === null ? [] : [{ pointer, detail: message }];
  throw new Problem(422, isOurs ? (code as FaultCode) : "request.invalid", `${message}.`, errors);
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
