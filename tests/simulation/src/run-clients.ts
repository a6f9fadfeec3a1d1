import { wakeHint } from "@holdfast/messaging";
import { type Host, type Role, type SimulatedStore, startHost } from "@holdfast/testing/simulator";
import type { VersionJudge } from "./judge-versions.ts";
import type { PortsOf } from "./ports.ts";
import { pause, sendOrder } from "./rollout-client.ts";
import type { Order } from "./scenario.ts";
import type { SubmissionFront } from "./submission-front.ts";
import type { World } from "./world.ts";

interface Options {
  readonly orders: readonly Order[];
  readonly portsOf: PortsOf;
  readonly front: SubmissionFront;
  readonly judge: VersionJudge;
}

/** Submits each order from a process of its own. */
export function runClients(
  world: World,
  { orders, portsOf, ...submitting }: Options,
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

/** A client that does not hear yes asks again, under the same key. */
async function submitOrder(store: SimulatedStore, host: Host, order: Order): Promise<void> {
  const { name, definition, wanted, priority, fairness } = order;
  const task = {
    tenant: "default",
    workflow: definition.name,
    input: { order: name, wanted },
    priority,
    fairness,
    replyTo: null,
    correlationId: null,
    idempotency: { key: name, hash: name },
  };
  for (;;) {
    try {
      await store.submitTasks([task], { actor: host.name });
      return;
    } catch {
      await pause(host, 40);
    }
  }
}
