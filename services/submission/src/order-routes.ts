import { type Failpoint, gather } from "@holdfast/runtime";
import type { NewTask, StateStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import type { Orders } from "./find-orders.ts";
import { Problem } from "./problem.ts";
import { readOrder } from "./read-order.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "submitTasks" | "findEvents">;
  readonly orders: Orders;
  readonly workflow: string;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly failpoint: Failpoint;
  readonly actor: string;
}

interface ById {
  readonly Params: { readonly id: string };
}

/** How many submissions share one transaction at most. */
const batch = 200;

/** Orders over HTTP. An order that was answered with 202 is durable, with all its steps. */
export function orderRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { store, orders, workflow, hint, failpoint, actor } = deps;
  const accept = async (tasks: readonly NewTask[]) => {
    failpoint("submission.accepting");
    const submitted = await store.submitTasks(tasks, { actor });
    failpoint("submission.accepted");
    if (submitted.some(({ kind }) => kind === "created")) hint();
    return submitted;
  };
  const submit = gather(accept, { max: batch });

  app.post("/v1/orders", async (request, reply) => {
    const { headers } = request;
    const submitted = await submit(
      readOrder(request.body, {
        workflow,
        idempotencyKey: text(headers["idempotency-key"]),
        replyTo: text(headers["reply-to"]),
        correlationId: text(headers["correlation-id"]),
      }),
    );
    if (submitted.kind === "conflict") {
      throw new Problem(
        422,
        "request.idempotency_key_reused",
        "This Idempotency-Key was used for another order. Use a new one.",
      );
    }
    if (submitted.kind === "replayed") void reply.header("idempotency-replayed", "true");
    return reply
      .code(202)
      .header("location", `/v1/orders/${submitted.taskId}`)
      .header("retry-after", "1")
      .send({ id: submitted.taskId });
  });

  app.get<ById>("/v1/orders/:id", ({ params }) => orders.show(params.id));

  app.get<ById>("/v1/orders/:id/history", async ({ params }) => {
    const { taskId } = await orders.find(params.id);
    return { items: await store.findEvents({ taskId }) };
  });
}

const text = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;
