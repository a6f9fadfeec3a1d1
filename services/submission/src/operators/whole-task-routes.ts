import { wholeTaskEvents } from "@holdfast/domain";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { ById } from "../find-tasks.ts";
import { roomForRows } from "../room.ts";
import { type OperatorDoor, RequestBody } from "./apply-request.ts";

/** Cancels, pauses and resumes a task as a whole. */
export function wholeTaskRoutes(
  app: FastifyInstance,
  { door, deps, onRequest, params, apply, describe }: OperatorDoor,
): void {
  const onTask = (act: keyof typeof wholeTaskEvents, summary: string): void => {
    app.post<ById & { readonly Body: Static<typeof RequestBody> }>(
      `${door.path}/:id/${act}`,
      { onRequest, schema: { ...describe(`${act}Task`, summary), params, body: RequestBody } },
      async (request, reply) => {
        const noun = await door.nounOf(request);
        const makeRoom = roomForRows(request, reply);
        const { task } = await deps.tasks.find(request.params.id, noun, makeRoom);
        return apply(
          task,
          { ...request.body, noun, ifMatch: request.headers["if-match"], makeRoom },
          { event: wholeTaskEvents[act] },
        );
      },
    );
  };
  onTask("cancel", `Undoes what the ${door.noun.one} began, and begins nothing more of it.`);
  onTask("pause", "Begins no further step until the task is resumed.");
  onTask("resume", "Ends a pause.");
}
