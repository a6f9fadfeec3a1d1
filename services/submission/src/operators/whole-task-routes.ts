import type { ReportedTaskEvent } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { ById } from "../find-tasks.ts";
import { type OperatorDoor, RequestBody } from "./apply-request.ts";

/** Undoes, cancels, pauses and resumes a task as a whole. */
export function wholeTaskRoutes(
  app: FastifyInstance,
  { door, deps, onRequest, params, apply }: OperatorDoor,
): void {
  const onTask = (act: string, event: ReportedTaskEvent["event"]): void => {
    app.post<ById & { readonly Body: Static<typeof RequestBody> }>(
      `${door.path}/:id/${act}`,
      { onRequest, schema: { params, body: RequestBody } },
      async (request) => {
        const noun = await door.nounOf(request);
        const task = await deps.tasks.find(request.params.id, noun);
        return apply(task, { ...request.body, noun }, { event });
      },
    );
  };
  onTask("undo", { kind: "undoRequested", code: "operator.undo" });
  onTask("cancel", { kind: "undoRequested", code: "operator.cancel" });
  onTask("pause", { kind: "paused" });
  onTask("resume", { kind: "resumed" });
}
