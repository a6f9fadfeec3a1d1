import { wakeHint } from "@holdfast/messaging";
import { type Host, type Role, type SimulatedStore, startHost } from "@holdfast/testing/simulator";
import type { VersionJudge } from "./judge-versions.ts";
import type { PortsOf } from "./ports.ts";
import type { Order } from "./scenario.ts";
import type { Answer, SubmissionFront } from "./submission-front.ts";
import type { World } from "./world.ts";

interface ClientOptions {
  readonly orders: readonly Order[];
  readonly portsOf: PortsOf;
  readonly front: SubmissionFront;
  readonly judge: VersionJudge;
}

/** Submits each order from a process of its own. */
export function runClients(
  world: World,
  { orders, portsOf, ...submitting }: ClientOptions,
): {
  /** How many are not done yet. */
  readonly left: number;
} {
  let left = orders.length;
  for (const order of orders) {
    const host = startHost(world, { name: order.name, role: "client" satisfies Role });
    host.onDeath(() => {
      left -= 1;
    });
    if (order.asked !== undefined) {
      world.timeline.after(order.at, () => {
        void sendOrder(host, order, submitting).then(host.kill);
      });
      continue;
    }
    const ports = portsOf(host);
    const submitted = () => {
      wakeHint(ports.broker)();
      host.kill();
    };
    world.timeline.after(order.at, () => {
      void submitOrder(ports.store, host, order).then(submitted);
    });
  }
  return {
    get left() {
      return left;
    },
  };
}

/**
 * A client that does not hear yes asks again, under the same key; also while an open task has its
 * business key.
 */
async function submitOrder(store: SimulatedStore, host: Host, order: Order): Promise<void> {
  const { name, definition, wanted, priority, fairness, key = null, submittedBy = null } = order;
  const task = {
    tenant: "default",
    workflow: definition.name,
    input: { order: name, wanted },
    priority,
    fairness,
    replyTo: null,
    correlationId: null,
    submittedBy,
    idempotency: { key: name, hash: name },
    ...(key === null ? {} : { key }),
  };
  for (;;) {
    try {
      const [answer] = await store.submitTasks([task], { actor: host.name });
      if (answer?.kind !== "held") return;
    } catch {
      // The store may have it, or not.
    }
    await pause(host, 40);
  }
}

interface SendOrderOptions {
  readonly front: SubmissionFront;
  readonly judge: VersionJudge;
}

/** Milliseconds until a request without an answer is sent again. */
const retryAfter = 40;

/**
 * Sends an order until it is answered, maybe once more later, and has the judge know of the
 * answers.
 */
async function sendOrder(host: Host, order: Order, options: SendOrderOptions): Promise<void> {
  const { kind } = await askFor(host, order, options);
  const repeatedAfter = order.asked?.repeatedAfter ?? null;
  if (kind !== "accepted" || repeatedAfter === null) return;
  await pause(host, repeatedAfter);
  await askFor(host, order, options);
}

async function askFor(
  host: Host,
  order: Order,
  { front, judge }: SendOrderOptions,
): Promise<Answer> {
  for (;;) {
    const since = judge.mark();
    const answer = await front.submit(host, order);
    if (answer.kind === "accepted") judge.accepted(order, answer.taskId);
    if (answer.kind === "refused") judge.refused(order, { code: answer.code, since });
    if (answer.kind !== "unknown") return answer;
    await pause(host, retryAfter);
  }
}

function pause(host: Host, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.clock.after(ms, resolve);
  return promise;
}
