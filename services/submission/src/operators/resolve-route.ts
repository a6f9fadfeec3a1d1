import { Payload } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { resolveFault, type StepRecord, type TaskRecord } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { ById } from "../find-tasks.ts";
import { Problem } from "../problem.ts";
import { roomForRows } from "../room.ts";
import { storableName } from "../wishes.ts";
import { type OperatorDependencies, type OperatorDoor, requestBodyWith } from "./apply-request.ts";
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
export function resolveRoute(
  app: FastifyInstance,
  { door, deps, onRequest, params, apply, describe }: OperatorDoor,
): void {
  app.post<ById & { readonly Body: Static<typeof ResolveBody> }>(
    `${door.path}/:id/resolve`,
    {
      onRequest,
      schema: {
        ...describe(
          "resolveStep",
          "Records what a person did instead of a failed step.",
          codesOfFailedStep,
        ),
        params,
        body: ResolveBody,
      },
    },
    async (request, reply) => {
      const { body } = request;
      const noun = await door.nounOf(request);
      const makeRoom = roomForRows(request, reply);
      const { task } = await deps.tasks.find(request.params.id, noun, makeRoom);
      const failed = failedStep(task, { noun, name: body.step });
      await mustBeUsable(body.output, { task, failed }, deps.store);
      const event = { kind: "resolved", step: failed.name, attempt: failed.attempt } as const;
      return apply(
        task,
        { ...body, noun, ifMatch: request.headers["if-match"], makeRoom },
        { event, output: body.output ?? null },
      );
    },
  );
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
