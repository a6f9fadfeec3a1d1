import { judgeOrders, judgeSubmitted, type SubmittedOrder } from "@holdfast/load";
import type { System } from "@holdfast/processes";
import type { StateStore } from "@holdfast/state-store";

interface Options {
  readonly system: Pick<System, "submissionUrl" | "partnersUrl">;
  readonly store: Pick<StateStore, "findInvariantViolations">;
  readonly stateStoreUrl: string;
  /** Begins the keys of the orders. */
  readonly run: string;
  readonly accepted: readonly SubmittedOrder[];
  readonly kills: number;
  readonly say: (line: string) => void;
}

/** The ids of orders that were accepted over HTTP. */
export const idsOf = (orders: readonly SubmittedOrder[]): readonly string[] =>
  orders.flatMap(({ taskId }) => taskId ?? []);

/** Prints what became of the orders, and says whether all of it is right. */
export async function printVerdict(options: Options): Promise<boolean> {
  const { system, store, stateStoreUrl, run, accepted, kills, say } = options;
  const { submissionUrl, partnersUrl } = system;
  const verdict = await judgeOrders({ submissionUrl, partnersUrl, store }, idsOf(accepted));
  const submitted = await judgeSubmitted(stateStoreUrl, run, accepted);
  const { processed, undone, halted, open, lost, doubled, violations, witnesses } = verdict;
  const row = { orders: accepted.length, processed, undone, halted, lost, doubled };
  const widths = Object.keys(row).map((name) => Math.max(9, name.length));
  const line = (cells: readonly (string | number)[]) =>
    cells.map((cell, index) => String(cell).padStart(widths[index] ?? 9)).join("  ");
  say("");
  say(line(Object.keys(row)));
  say(line(Object.values(row)));
  say("");
  say(`Processes killed with kill -9 meanwhile: ${kills}.`);
  const wrong = [
    ...witnesses,
    ...submitted.wrong,
    ...violations.map(({ invariant, taskId }) => `${taskId}: broken invariant: ${invariant}`),
  ];
  for (const what of wrong) say(`wrong: ${what}`);
  const isRight = wrong.length === 0 && halted + open + lost + doubled === 0;
  say(isRight ? "Every order ended right." : "Not every order ended right.");
  return isRight;
}
