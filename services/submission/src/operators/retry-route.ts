import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { codeAt } from "../noun.ts";
import { Problem } from "../problem.ts";
import { roomForRows } from "../room.ts";
import { storableName } from "../wishes.ts";
import { type OperatorDoor, RequestBody } from "./apply-request.ts";

interface ByStep {
  readonly Params: { readonly id: string; readonly step: string };
  readonly Body: Static<typeof RequestBody>;
}

/** Ends the delay of a step. */
export function retryRoute(
  app: FastifyInstance,
  { door, deps, onRequest, params: taskParams, apply, describe }: OperatorDoor,
): void {
  const params = Type.Object({
    ...taskParams.properties,
    step: Type.String({ ...storableName, description: "The name of the step." }),
  });
  app.post<ByStep>(
    `${door.path}/:id/steps/:step/retry`,
    {
      onRequest,
      schema: {
        ...describe("retryStep", "Ends the delay of a step.", { 404: ["task.unknown_step"] }),
        params,
        body: RequestBody,
      },
    },
    async (request, reply) => {
      const { id, step: asked } = request.params;
      const noun = await door.nounOf(request);
      const makeRoom = roomForRows(request, reply);
      const { task } = await deps.tasks.find(id, noun, makeRoom);
      if (!task.steps.some((one) => one.name === asked)) {
        const names = task.steps.map((one) => one.name);
        throw new Problem(
          404,
          codeAt(noun, "task.unknown_step"),
          `The ${noun.singular} has no step ${asked}. Its steps: ${names.join(", ")}.`,
        );
      }
      const event = { kind: "retryRequested", step: asked } as const;
      return apply(
        task,
        { ...request.body, noun, ifMatch: request.headers["if-match"], makeRoom },
        { event },
      );
    },
  );
}
