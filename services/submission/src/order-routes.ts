import { type Failpoint, gather } from "@holdfast/runtime";
import type { NewTask, StateStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import type { Orders } from "./find-orders.ts";
import { historyResource } from "./order-resource.ts";
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
  readonly waiting?: WaitingLimits;
}

/** What may wait for the state store. */
export interface WaitingLimits {
  readonly orders: number;
  /** How long an order may wait, in milliseconds. */
  readonly patience: number;
}

/** A full transaction, while another one is written: longer queues only make each order slower. */
const defaultWaiting: WaitingLimits = { orders: 200, patience: 10_000 };
/** Of all bodies that wait. */
const bytesWaiting = 16 * 1024 * 1024;

interface ById {
  readonly Params: { readonly id: string };
}

/** How many submissions share one transaction at most. */
const batch = 200;

/**
 * Orders over HTTP. An order that was answered with 202 is durable, with all its steps. What waits for
 * the state store is bounded: beyond that an order is answered 503 at once. An order whose client is
 * gone, or that waited too long, is not written.
 */
export function orderRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { store, workflow, hint, failpoint, actor, waiting = defaultWaiting } = deps;
  const accept = async (tasks: readonly NewTask[]) => {
    failpoint("submission.accepting");
    const submitted = await store.submitTasks(tasks, { actor });
    failpoint("submission.accepted");
    if (submitted.some(({ kind }) => kind === "created")) hint();
    return submitted;
  };
  const submissions = gather(accept, {
    max: batch,
    maxWaiting: { items: waiting.orders, bytes: bytesWaiting },
    patience: waiting.patience,
  });
  app.refuseEarly({
    method: "POST",
    url: "/v1/orders",
    isOverloaded: () => submissions.isFull,
  });
  app.post("/v1/orders", async (request, reply) => {
    const { headers } = request;
    const order = readOrder(request.body, {
      workflow,
      idempotencyKey: text(headers["idempotency-key"]),
      replyTo: text(headers["reply-to"]),
      correlationId: text(headers["correlation-id"]),
    });
    const { result, withdraw } = submissions.add(order, request.bodyBytes);
    reply.raw.once("close", withdraw);
    const submitted = await result;
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

  orderViews(app, deps);
}

/** Orders as they stand, for whoever submitted them and for operators. */
export function orderViews(
  app: FastifyInstance,
  { store, orders }: { readonly store: Pick<StateStore, "findEvents">; readonly orders: Orders },
): void {
  app.get<ById>("/v1/orders/:id", ({ params }) => orders.show(params.id));

  app.get<ById>("/v1/orders/:id/history", async ({ params }) => {
    const { taskId } = await orders.find(params.id);
    return { items: (await store.findEvents({ taskId })).map(historyResource) };
  });
}

const text = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;
