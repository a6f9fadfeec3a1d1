import { Payload } from "@holdfast/contracts";
import { type Json, stepKinds } from "@holdfast/domain";
import type { StepRecord, TaskRecord } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { ById } from "../find-tasks.ts";
import { codeAt, type Noun } from "../noun.ts";
import { Problem } from "../problem.ts";
import { roomForRows } from "../room.ts";
import { storableName } from "../wishes.ts";
import { type OperatorDependencies, type OperatorDoor, requestBodyWith } from "./apply-request.ts";
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
export function resubmitRoute(
  app: FastifyInstance,
  { door, deps, onRequest, params, apply, describe }: OperatorDoor,
): void {
  app.post<ById & { readonly Body: Static<typeof ResubmitBody> }>(
    `${door.path}/:id/resubmit`,
    {
      onRequest,
      schema: {
        ...describe("resubmitStep", "Retries a step that failed for good.", {
          ...codesOfFailedStep,
          422: ["task.undo_has_no_input"],
        }),
        params,
        body: ResubmitBody,
      },
    },
    async (request, reply) => {
      const { body } = request;
      const noun = await door.nounOf(request);
      const makeRoom = roomForRows(request, reply);
      const { task } = await deps.tasks.find(request.params.id, noun, makeRoom);
      const failed = failedStep(task, { noun, name: body.step });
      const { input } = body;
      if (input !== undefined) await mustBeUsable(input, { task, failed, noun }, deps.store);
      const { name: step, attempt } = failed;
      const inputChanged = input !== undefined;
      return apply(
        task,
        { ...body, noun, ifMatch: request.headers["if-match"], makeRoom },
        {
          event: { kind: "resubmitted", step, attempt, inputChanged },
          ...(input === undefined ? {} : { correctedInput: input }),
        },
      );
    },
  );
}

interface Target {
  readonly task: TaskRecord;
  readonly failed: StepRecord;
  readonly noun: Noun;
}

/** Throws a 422 for an input that the step cannot have, or that its Agent would refuse. */
async function mustBeUsable(
  input: Json,
  { task, failed, noun }: Target,
  store: OperatorDependencies["store"],
): Promise<void> {
  mustBeStorable(input, "input");
  if (!stepKinds[failed.kind].hasCorrectableInput) {
    throw new Problem(
      422,
      codeAt(noun, "task.undo_has_no_input"),
      "The input of an undo cannot be changed.",
    );
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
