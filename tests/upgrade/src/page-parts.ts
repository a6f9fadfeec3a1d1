import { markdownTable } from "@holdfast/load";
import type { PhaseReport, UpgradeReport } from "./upgrade-report.ts";

/** The heading of a run in the page, by which a later one finds it. */
export const headingOf = ({ from, to }: Pick<UpgradeReport, "from" | "to">): string =>
  `## From ${from} to ${to}`;

/** The phases of a run, and what the columns mean. */
export const phaseTable = (phases: readonly PhaseReport[]): string =>
  [
    markdownTable(
      ["phase", "what runs", "seconds", "killed before", "killed here", "orders", "no answer for"],
      phases.map((phase) => [
        phase.name,
        phase.what,
        String(phase.seconds),
        String(phase.killsBefore),
        String(phase.killsHere),
        phase.orders.toLocaleString("en"),
        `${(phase.longestPauseMs / 1_000).toFixed(1)} s`,
      ]),
    ),
    "Killed before and here: processes of what was before and of what came. No answer for: the longest time in which no order was accepted over HTTP; each was submitted again under its key until it was.",
  ].join("\n\n");

/** What both kinds of runs count. */
type Counted = Pick<
  UpgradeReport,
  | "processed"
  | "undone"
  | "halted"
  | "open"
  | "refused"
  | "lost"
  | "doubled"
  | "deadLetters"
  | "violations"
  | "crashed"
>;

type Count = readonly [what: string, count: number];

/** The counts of one kind of runs alone. */
export interface OwnCounts {
  readonly before: readonly Count[];
  readonly after: readonly Count[];
}

/** The counts of a run: what both kinds count, and its own before and after that. */
export function countTable(report: Counted, { before, after }: OwnCounts): string {
  const counts: readonly Count[] = [
    ...before,
    ["processed", report.processed],
    ["undone", report.undone],
    ["halted", report.halted],
    ["not ended", report.open],
    ["refused", report.refused],
    ["lost", report.lost],
    ["doubled", report.doubled],
    ["dead letters", report.deadLetters],
    ["breaches of invariants", report.violations],
    ["processes that ended by themselves", report.crashed],
    ...after,
  ];
  return markdownTable(
    ["what", "count"],
    counts.map(([what, count]) => [what, count.toLocaleString("en")]),
  );
}

export const listOf = (items: readonly string[]): string =>
  items.map((item) => `- ${item}`).join("\n");
