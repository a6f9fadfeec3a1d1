import { setTimeout as sleep } from "node:timers/promises";
import type { LocalStack } from "@holdfast/local-stack";
import { taskOf } from "../holdfast-subject.ts";
import type { BenchOptions } from "../options.ts";
import { newOrder } from "../order.ts";
import type { Holdfast } from "../start-holdfast.ts";
import { threeSlowSteps } from "../workflow.ts";
import { keepKilling } from "./keep-killing.ts";
import {
  type Became,
  becameOf,
  ordersMeanwhile,
  type Taken,
  together,
  wordsOf,
} from "./orders-meanwhile.ts";
import { startDisturbed } from "./start-disturbed.ts";

/** An outage, and what became of the orders that it met. */
interface OutageFigures extends Became {
  readonly kind: string;
  readonly seconds: number;
}

export interface OutagesResult extends Became {
  /** Processes that were killed meanwhile. */
  readonly kills: number;
  readonly outages: readonly OutageFigures[];
}

type Rabbit = LocalStack["broker"];

/** What keeps messages from going through, and what ends it. */
const kinds: Readonly<Record<string, (broker: Rabbit) => readonly [Act, Act]>> = {
  alarm: (broker) => [
    () => broker.rabbitmqctl("set_vm_memory_high_watermark", "0.000001"),
    () => broker.rabbitmqctl("set_vm_memory_high_watermark", "0.6"),
  ],
  away: (broker) => [() => broker.rabbitmqctl("stop_app"), () => broker.rabbitmqctl("start_app")],
};
type Act = () => Promise<unknown>;

/** Seconds. The limits of a step are two and two: within those, at them, and far beyond. */
const lengths = [1, 2, 3, 4, 5, 8, 15, 40, 120, 300, 600];

/**
 * Measures what alarms and outages of the broker do to orders that are well, while one process
 * after another is killed: each step has one failure, so one that is counted undoes its order.
 */
export async function measureOutages(
  { orders, without, kills: every, longest }: BenchOptions,
  say: (line: string) => void,
): Promise<OutagesResult> {
  await using owner = new AsyncDisposableStack();
  const workflow = threeSlowSteps.definition;
  const { holdfast, stack, ...stores } = await startDisturbed(owner, {
    workflow,
    agents: 2,
    submissions: 0,
    without,
    say,
  });
  const fleet = owner.use(keepKilling(holdfast.system, { every }));
  const runs = Object.entries(kinds).flatMap(([kind, actsOf]) =>
    lengths
      .filter((seconds) => seconds <= longest)
      .map((seconds) => ({ kind, seconds, acts: actsOf(stack.broker) })),
  );
  const outages: OutageFigures[] = [];
  const share = Math.ceil(orders / runs.length);
  for (const { kind, seconds, acts } of runs) {
    const [begin, end] = acts;
    /** Orders that came in before it: on a busy machine it takes seconds to begin. */
    let before = Number.POSITIVE_INFINITY;
    const met = await ordersMeanwhile(holdfast, {
      goesOn: (submitted) => submitted < before + share,
      submit: () => submitOne(holdfast),
      act: async (submitted) => {
        await begin();
        before = submitted();
        await sleep(seconds * 1_000);
        await end();
      },
    });
    const became = await becameOf({ ...stores, steps: 3 }, met);
    outages.push({ kind, seconds, ...became });
    say(`${kind} of ${seconds} s: ${wordsOf(became)}`);
  }
  return { ...together(outages), kills: fleet.kills, outages };
}

/** Submits an order in a transaction of its own, as an application does: none is refused. */
async function submitOne({ store, hint }: Holdfast): Promise<Taken> {
  const order = newOrder();
  const [result] = await store.submitTasks([taskOf(order, threeSlowSteps.name)], {
    actor: "bench",
  });
  hint();
  if (result?.kind !== "created") throw new Error("The order was not taken");
  return { taskId: result.taskId, id: order.id };
}
