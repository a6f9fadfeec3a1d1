import type { ReportedTaskEvent } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { ById } from "../find-tasks.ts";
import { type OperatorDoor, RequestBody } from "./apply-request.ts";

/** Undoes, cancels, pauses and resumes a task as a whole. */
export function wholeTaskRoutes(
  app: FastifyInstance,
  { door, deps, onRequest, params, apply, describe }: OperatorDoor,
): void {
  const onTask = (act: string, summary: string, event: ReportedTaskEvent["event"]): void => {
    app.post<ById & { readonly Body: Static<typeof RequestBody> }>(
      `${door.path}/:id/${act}`,
      { onRequest, schema: { ...describe(`${act}Task`, summary), params, body: RequestBody } },
      async (request) => {
        const noun = await door.nounOf(request);
        const task = await deps.tasks.find(request.params.id, noun);
        return apply(
          task,
          { ...request.body, noun, ifMatch: request.headers["if-match"] },
          { event },
        );
      },
    );
  };
  onTask("undo", `Undoes the ${door.noun.one}.`, { kind: "undoRequested", code: "operator.undo" });
  onTask("cancel", `Undoes the ${door.noun.one}, with another reason in its history.`, {
    kind: "undoRequested",
    code: "operator.cancel",
  });
  onTask("pause", "Begins no further step until the task is resumed.", { kind: "paused" });
  onTask("resume", "Ends a pause.", { kind: "resumed" });
}
