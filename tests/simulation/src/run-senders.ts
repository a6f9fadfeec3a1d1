import { signalContract } from "@holdfast/contracts";
import { familyOf } from "@holdfast/domain";
import { wakeHint } from "@holdfast/messaging";
import {
  type Host,
  type MemoryStore,
  type Role,
  type SimulatedStore,
  startHost,
} from "@holdfast/testing/simulator";
import type { SignalJudge } from "./judge-signals.ts";
import type { PlannedSignal } from "./plan-signals.ts";
import type { PortsOf } from "./ports.ts";
import type { Order } from "./scenario.ts";
import type { World } from "./world.ts";

interface SenderOptions {
  readonly orders: readonly Order[];
  /** What knows the tasks of orders, as applications do. */
  readonly memory: MemoryStore;
  readonly portsOf: PortsOf;
  readonly judge: SignalJudge;
}

/** Milliseconds until what was not answered, or has no task yet, is sent again. */
const retryAfter = 40;
/** Milliseconds for which a sender waits for the task. */
const patience = 10_000;
/** Milliseconds by which a message may come later, or come again. */
const delay = 900;

/** Sends each signal of each order from a process of its own. */
export function runSenders(world: World, options: SenderOptions): { readonly left: number } {
  let left = 0;
  for (const order of options.orders) {
    for (const signal of order.signals ?? []) {
      left += 1;
      const over = () => {
        left -= 1;
      };
      sendFrom(world, options, { order, signal, over });
    }
  }
  return {
    get left() {
      return left;
    },
  };
}

interface Sending {
  readonly order: Order;
  readonly signal: PlannedSignal;
  readonly over: () => void;
}

function sendFrom(
  world: World,
  { memory, portsOf, judge }: SenderOptions,
  { order, signal, over }: Sending,
): void {
  const host = startHost(world, { name: `sender ${signal.n}`, role: "client" satisfies Role });
  host.onDeath(over);
  const { store, broker } = portsOf(host);
  const hint = wakeHint(broker);
  const message = { world, host, store, judge, order, signal };
  const late = world.strikes("signalLate") ? world.random.below(delay) : 0;
  const send = async (): Promise<void> => {
    await sendOne(message, () => taskOf(memory, order));
    hint("waits");
    if (world.strikes("signalDoubled")) {
      await pause(host, world.random.below(delay));
      await sendOne(message, () => taskOf(memory, order));
      hint("waits");
    }
  };
  world.timeline.after(signal.at + late, () => void send().then(host.kill));
}

/** The id of the task of an order, as applications know it; null: there is none yet. */
export const taskOf = ({ tasks }: MemoryStore, { name }: Order): string | null => {
  for (const { task, input } of tasks.values()) {
    if ((input as { readonly order: string }).order === name) return task.taskId;
  }
  return null;
};

interface Message {
  readonly world: World;
  readonly host: Host;
  readonly store: Pick<SimulatedStore, "sendSignals" | "holdSignal">;
  readonly judge: SignalJudge;
  readonly order: Order;
  readonly signal: PlannedSignal;
}

/** A sender that is not answered sends again. */
async function sendOne(message: Message, findTask: () => string | null): Promise<void> {
  const { world, host, signal } = message;
  const until = world.timeline.now + patience;
  for (;;) {
    try {
      const taskId = signal.holdFor === null ? findTask() : await holdOne(message);
      if (taskId === "held") return;
      if (taskId !== null) return await sendTo(message, taskId);
    } catch {
      // The store may have it, or not.
    }
    if (world.timeline.now > until) return;
    await pause(host, retryAfter);
  }
}

/** Has a signal held for its task; resolves to the id of the task if that is there. */
async function holdOne({ world, host, store, order, signal }: Message): Promise<string | null> {
  const { name, id, n, holdFor } = signal;
  const { definition, key = "" } = order;
  const held = await store.holdSignal({
    tenant: "default",
    family: familyOf(definition.name),
    key,
    contract: signalContract(definition, name) ?? "",
    holdFor: holdFor ?? 0,
    name,
    id,
    payload: { n },
    sentBy: host.name,
  });
  world.tell(host.name, () => `${name} ${n} for ${key}: ${JSON.stringify(held)}`);
  return held.kind === "task" ? held.taskId : "held";
}

async function sendTo(message: Message, taskId: string): Promise<void> {
  const { world, host, store, judge, order, signal } = message;
  const { name, id, n } = signal;
  const workflow = order.definition.name;
  const sent = { taskId, workflow, name, id, payload: { n }, sentBy: host.name };
  const [answer] = await store.sendSignals([sent]);
  world.tell(host.name, () => `${name} ${n}: ${JSON.stringify(answer)}`);
  if (answer !== undefined) judge.answered(sent, answer);
}

/** Resolves once so many milliseconds have passed by the clock of a process. */
export function pause(host: Host, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.clock.after(ms, resolve);
  return promise;
}
