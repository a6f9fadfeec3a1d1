import { gather } from "@holdfast/runtime";
import type { NewTask, StateStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { orderResource } from "./order-resource.ts";
import { Problem } from "./problem.ts";
import { readOrder } from "./read-order.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "submitTasks" | "findTask" | "findEvents" | "findWorkflow">;
  readonly workflow: string;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly actor: string;
}

interface ById {
  readonly Params: { readonly id: string };
}

/** How many submissions share one transaction at most. */
const batch = 200;

/** Orders over HTTP. An order that was answered with 202 is durable, with all its steps. */
export function orderRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { store, workflow, hint, actor } = deps;
  const submit = gather((tasks: readonly NewTask[]) => store.submitTasks(tasks, { actor }), {
    max: batch,
  });

  const find = async (id: string) => {
    const task = isTaskId(id) ? await store.findTask({ taskId: id, tenant: "default" }) : null;
    if (task === null) throw new Problem(404, "order.unknown", `There is no order ${id}.`);
    return task;
  };

  app.post("/v1/orders", async (request, reply) => {
    const key = request.headers["idempotency-key"];
    const idempotencyKey = Array.isArray(key) ? key.join() : key;
    const submitted = await submit(readOrder(request.body, { workflow, idempotencyKey }));
    if (submitted.kind === "conflict") {
      throw new Problem(
        422,
        "request.idempotency_key_reused",
        "This Idempotency-Key was used for another order. Use a new one.",
      );
    }
    if (submitted.kind === "created") hint();
    else void reply.header("idempotency-replayed", "true");
    return reply
      .code(202)
      .header("location", `/v1/orders/${submitted.taskId}`)
      .header("retry-after", "1")
      .send({ id: submitted.taskId });
  });

  app.get<ById>("/v1/orders/:id", async ({ params }) => {
    const task = await find(params.id);
    const stored = await store.findWorkflow(task.workflow);
    if (stored === null) throw new Problem(500, "workflow.unknown", "Its workflow is not stored.");
    return orderResource(task, stored.definition);
  });

  app.get<ById>("/v1/orders/:id/history", async ({ params }) => {
    const { taskId } = await find(params.id);
    return { items: await store.findEvents({ taskId }) };
  });
}

const isTaskId = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id);
