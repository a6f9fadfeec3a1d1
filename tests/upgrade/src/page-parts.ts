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

export const listOf = (items: readonly string[]): string =>
  items.map((item) => `- ${item}`).join("\n");
