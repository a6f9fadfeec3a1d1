import type { Evidence } from "./checker/evidence.ts";
import type { Verdict } from "./checker/judge.ts";
import { summarise } from "./checker/measure-recovery.ts";
import { timelineOf } from "./checker/timeline.ts";
import { invariants } from "./checker/violation.ts";

/**
 * How many violations are printed with all that is known of the order; the rest is in the files.
 */
const witnesses = 3;

/** Prints the result of a run. */
export function printVerdict(verdict: Verdict, say: (line: string) => void): void {
  const { orders, faults, classes, lost, doubled, stuck, forfeited, recovered } = verdict;
  say("");
  const head = ["class", "faults", "longest outage ms", "struck", "p50 ms", "p99 ms", "max ms"];
  say(table(head, recoveryRows(verdict)));
  say("");
  say(`${orders} orders, ${faults} faults of ${classes} classes`);
  say(
    `${lost} lost, ${doubled} doubled, ${stuck} stuck; ${verdict.staleReplies} stale replies refused`,
  );
  say(
    `${recovered} accepted although the client had no answer, ${forfeited} forfeited with a wiped broker`,
  );
  for (const reason of verdict.vacuous) say(`the run is not valid: ${reason}`);
  if (verdict.violations.length > 0) say(`${verdict.violations.length} violations`);
  say(verdict.valid ? "All invariants hold." : "The run failed: see above.");
}

/** The first things that were not right, each with all that is known of the order. */
export function printWitnesses(
  { violations }: Verdict,
  evidence: Evidence,
  say: (line: string) => void,
): void {
  for (const { invariant, taskId, what } of violations.slice(0, witnesses)) {
    say("");
    say(`${invariant} broken (${invariants[invariant]}): ${what}`);
    if (taskId === null) continue;
    for (const line of timelineOf(evidence, taskId)) say(`  ${line}`);
  }
}

const recoveryRows = ({ recovery }: Verdict): readonly (readonly string[])[] =>
  Object.entries(recovery)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, times]) => {
      const { faults, outage, struck, p50, p99, max } = summarise(times);
      return [name, faults, outage.max, struck, p50, p99, max].map(String);
    });

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  "),
    )
    .join("\n");
}
