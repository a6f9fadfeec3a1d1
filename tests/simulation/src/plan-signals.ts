import { signalsOf, type WorkflowDefinition } from "@holdfast/domain";
import { type Random, seededRandom } from "@holdfast/testing/simulator";

/** A signal that a client sends for an order. */
export interface PlannedSignal {
  readonly name: string;
  readonly id: string;
  /** What it carries: a number that no other has, unless it stands for another of its id. */
  readonly n: number;
  /** When, in milliseconds. */
  readonly at: number;
  /**
   * Milliseconds for which it is held if it comes before its task, and is sent by the business key;
   * null: it is sent to the task.
   */
  readonly holdFor: number | null;
}

/** An order, as far as it matters here. */
interface Placed {
  readonly name: string;
  readonly definition: WorkflowDefinition;
  /** When it is submitted, in milliseconds. */
  readonly at: number;
}

/** What an order is given. */
interface Signalled {
  readonly key?: string;
  readonly signals?: readonly PlannedSignal[];
}

/** The share of orders that another one of the same business key follows. */
const followed = 0.3;
/** Milliseconds by which an order may come after its first signals. */
const after = 120;
/** Milliseconds for which a signal is held that comes before its task. */
const holding = [30, 5_000, 5_000, 60_000];

/**
 * Gives an order the signals that are sent to its task, some of them early, late, twice, or with
 * another payload; and maybe another order of the same business key.
 */
export function withSignals(seed: number) {
  const random = seededRandom(seed + 5_000_000_029);
  let last = 0;
  const newNumber = () => (last += 1);
  return <Order extends Placed>(order: Order): readonly (Order & Signalled)[] => {
    const names = signalsOf(order.definition);
    if (names.length === 0) return [order];
    const at = order.at + (random.chance(0.5) ? random.below(after) : 0);
    const signals = names.flatMap((name) =>
      chooseSignals(random, { name, from: order.at, newNumber }),
    );
    const first = { ...order, at, key: `key of ${order.name}`, signals };
    if (!random.chance(followed)) return [first];
    return [first, { ...first, name: `${order.name}, again`, at: at + 1, signals: [] }];
  };
}

interface Choice {
  readonly name: string;
  readonly from: number;
  readonly newNumber: () => number;
}

/** The signals of one name, most of which come while a step waits for them. */
function chooseSignals(
  random: Random,
  { name, from, newNumber }: Choice,
): readonly PlannedSignal[] {
  const count = random.pick([0, 1, 1, 1, 2, 2, 3]);
  return Array.from({ length: count }, () => {
    const n = newNumber();
    const isLate = random.chance(0.15);
    const at = from + (isLate ? 2_000 + random.below(4_000) : random.below(random.pick([60, 800])));
    const holdFor = random.chance(0.4) ? random.pick(holding) : null;
    const signal = { name, id: `${name} ${n}`, n, at, holdFor };
    const later = { ...signal, at: at + random.below(600) };
    return [
      signal,
      ...(random.chance(0.2) ? [later] : []),
      ...(random.chance(0.15) ? [{ ...later, n: newNumber() }] : []),
    ];
  }).flat();
}
