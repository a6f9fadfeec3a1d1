import { setTimeout as sleep } from "node:timers/promises";
import { rounded } from "@holdfast/load";
import { queryOnce } from "@holdfast/local-stack";
import type { Holdfast } from "../start-holdfast.ts";

/** What became of orders that were well while something happened to the system. */
export interface Became {
  readonly orders: number;
  readonly wronglyUndone: number;
  readonly failuresCounted: number;
  /** Submissions that were answered with a refusal. */
  readonly refused: number;
  /**
   * Orders that were taken and are not there, or are processed without an effect of each of their
   * steps.
   */
  readonly lost: number;
  /** Orders with more effects than steps. */
  readonly doubled: number;
  /** Orders that were neither processed nor undone half a minute after the end. */
  readonly open: number;
  /** Seconds from the end until the last order had ended. */
  readonly endedWithin: number;
}

/** An order that was taken: its task, and what it is called in the ledger of the remote service. */
export interface Taken {
  readonly taskId: string;
  readonly id: string;
}

interface Meanwhile {
  /** Whether more orders come in: given are how many have, and whether what happens is over. */
  readonly goesOn: (submitted: number, isOver: boolean) => boolean;
  /** Submits one order. Null: it was refused. */
  readonly submit: () => Promise<Taken | null>;
  /** What happens meanwhile. It is given how many orders have come in. */
  readonly act: (submitted: () => number) => Promise<void>;
}

/** Orders, and the seconds until they had ended. */
export interface Met {
  readonly taken: readonly Taken[];
  readonly refused: number;
  readonly endedWithin: number;
}

/** Milliseconds between two orders, so that some are at each point of their way whatever begins. */
const between = 40;
/** Seconds after the end in which every order has to end. */
const timeout = 30;

/** Submits orders while something happens, and waits until they have ended. */
export async function ordersMeanwhile(
  { findUnfinished }: Pick<Holdfast, "findUnfinished">,
  { goesOn, submit, act }: Meanwhile,
): Promise<Met> {
  const taken: Taken[] = [];
  let refused = 0;
  let isOver = false;
  const submitted = (): number => taken.length + refused;
  const submitting = (async () => {
    while (goesOn(submitted(), isOver)) {
      const one = await submit();
      if (one === null) refused += 1;
      else taken.push(one);
      await sleep(between);
    }
  })();
  try {
    await act(submitted);
  } finally {
    isOver = true;
  }
  await submitting;
  const endedAt = performance.now();
  const sinceEnd = () => (performance.now() - endedAt) / 1_000;
  const taskIds = taken.map(({ taskId }) => taskId);
  while ((await findUnfinished(taskIds)).length > 0 && sinceEnd() < timeout) await sleep(50);
  return { taken, refused, endedWithin: rounded(sinceEnd(), 1) };
}

interface Stores {
  readonly databaseUrl: string;
  /** The URL of the ledger in which the remote service writes down its effects. */
  readonly ledgerUrl: string;
  /** How many effects an order has. */
  readonly steps: number;
}

/** Judges orders by the store and by the ledger of the remote service. */
export async function becameOf(
  { databaseUrl, ledgerUrl, steps }: Stores,
  { taken, refused, endedWithin }: Met,
): Promise<Became> {
  const list = taken.map(({ taskId }) => `'${taskId}'`).join(", ");
  const count = async (sql: string): Promise<number> => {
    const [row] = await queryOnce<{ n: number }>(databaseUrl, `select count(*)::int as n ${sql}`);
    return row?.n ?? 0;
  };
  const there = await count(`from state.tasks where task_id in (${list})`);
  const processed = await queryOnce<{ id: string }>(
    databaseUrl,
    `select task_id::text as id from state.tasks where task_id in (${list}) and process_state = 'processed'`,
  );
  const rows = await queryOnce<{ id: string; n: number }>(
    ledgerUrl,
    `select order_id as id, count(*)::int as n from effects group by order_id`,
  );
  const effects = new Map(rows.map(({ id, n }) => [id, n]));
  const nameOf = new Map(taken.map(({ taskId, id }) => [taskId, id]));
  const effectsOf = (id: string): number => effects.get(id) ?? 0;
  return {
    orders: taken.length,
    wronglyUndone: await count(
      `from state.tasks where task_id in (${list}) and (goal = 'undo' or process_state = 'halted')`,
    ),
    failuresCounted: await count(
      `from state.events where task_id in (${list}) and action in ('retry', 'coolDown', 'fail')`,
    ),
    refused,
    lost:
      taken.length -
      there +
      processed.filter(({ id }) => effectsOf(nameOf.get(id) ?? "") < steps).length,
    doubled: taken.filter(({ id }) => effectsOf(id) > steps).length,
    open: await count(`from state.tasks where task_id in (${list}) and finished_at is null`),
    endedWithin,
  };
}

/** Sums of several; the longest of `endedWithin`. */
export function together(all: readonly Became[]): Became {
  const sum = (of: keyof Became) => all.reduce((total, one) => total + one[of], 0);
  return {
    orders: sum("orders"),
    wronglyUndone: sum("wronglyUndone"),
    failuresCounted: sum("failuresCounted"),
    refused: sum("refused"),
    lost: sum("lost"),
    doubled: sum("doubled"),
    open: sum("open"),
    endedWithin: Math.max(0, ...all.map(({ endedWithin }) => endedWithin)),
  };
}

export const wordsOf = (became: Became): string =>
  `${became.orders} orders, ${became.wronglyUndone} undone or halted, ${became.failuresCounted} failures counted, ${became.refused} refused, ${became.lost} lost, ${became.doubled} doubled, ${became.open} open, ended within ${became.endedWithin} s`;
