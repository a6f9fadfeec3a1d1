import { judgeOrders, type System, stateOf } from "@holdfast/local-system";
import { endOf } from "@holdfast/orders";
import type { StateStore } from "@holdfast/state-store";
import type { AcceptedOrder } from "./submit-orders.ts";

interface Options {
  readonly system: System;
  readonly store: Pick<StateStore, "findInvariantViolations">;
  readonly accepted: readonly AcceptedOrder[];
  readonly kills: number;
  readonly say: (line: string) => void;
}

/** Prints what became of the orders, and says whether all of it is right. */
export async function printVerdict(options: Options): Promise<boolean> {
  const { system, store, accepted, kills, say } = options;
  const verdict = await judgeOrders(
    system,
    accepted.map(({ id }) => id),
  );
  const wrongEnds = await findWrongEnds(system, accepted);
  const violations = await store.findInvariantViolations({ batch: 10 });
  const { processed, undone, error, open, lost, doubled, witnesses } = verdict;
  const row = { orders: accepted.length, processed, undone, error, lost, doubled };
  const widths = Object.keys(row).map((name) => Math.max(9, name.length));
  const line = (cells: readonly (string | number)[]) =>
    cells.map((cell, index) => String(cell).padStart(widths[index] ?? 9)).join("  ");
  say("");
  say(line(Object.keys(row)));
  say(line(Object.values(row)));
  say("");
  say(`${kills} processes were killed with kill -9 meanwhile.`);
  const wrong = [
    ...witnesses,
    ...wrongEnds,
    ...violations.map(({ invariant, taskId }) => `${taskId}: not so: ${invariant}`),
  ];
  for (const what of wrong) say(`wrong: ${what}`);
  const isRight = wrong.length === 0 && error + open + lost + doubled === 0;
  say(isRight ? "Every order ended right." : "Not every order ended right.");
  return isRight;
}

async function findWrongEnds(
  system: System,
  accepted: readonly AcceptedOrder[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { id, kind } of accepted) {
    const state = await stateOf(system, id);
    if (state !== endOf(kind)) wrong.push(`${id}: a ${kind} order is ${state}`);
  }
  return wrong;
}
