import { countTable, headingOf, listOf, type OwnCounts, phaseTable } from "./page-parts.ts";
import type { UpgradeReport } from "./upgrade-report.ts";

/** What a move to another broker came to. */
export interface MoveReport
  extends Omit<
    UpgradeReport,
    | "migrations"
    | "stopped"
    | "refusals"
    | "orders"
    | "overstayedBefore"
    | "calledFromBefore"
    | "carriedBack"
    | "ofKeptWorkflow"
  > {
  /** Orders that were accepted. */
  readonly orders: number;
  /**
   * Milliseconds from the end of the last Scheduler on the broker before until one runs on the new
   * broker.
   */
  readonly stoppedMs: number;
  /** Requests in flight that were published once more, because the new broker had none of them. */
  readonly resent: number;
  /** Attempts that expired, for whatever reason: kills are one. */
  readonly expired: number;
}

/** What of a move is not as it must be; empty: all holds. */
export function faultsOfMove(report: MoveReport): readonly string[] {
  const { crashed, overstayed, halted, open, refused } = report;
  const { lost, doubled, deadLetters, violations } = report;
  const counts = { crashed, overstayed, halted, open, refused };
  return [
    ...Object.entries({ ...counts, lost, doubled, deadLetters, violations }).flatMap(
      ([name, count]) => (count === 0 ? [] : [`${name}: ${count}`]),
    ),
    ...report.phases
      .filter(({ orders }) => orders === 0)
      .map(({ name }) => `no order was accepted in the phase "${name}"`),
    ...(report.kills === 0 ? ["no process was killed"] : []),
    ...(report.carriedOver === 0 ? ["no task of the broker before ended on the new one"] : []),
  ];
}

/** The section of a move in the page of upgrades. */
export function sectionOfMove(report: MoveReport, at: Date): string {
  const { from, to, seed, seconds, kills, orders, lost, doubled } = report;
  const faults = faultsOfMove(report);
  return [
    headingOf(report),
    `On ${at.toISOString().slice(0, 10)}, ${seconds} s of orders, seed ${seed}: ${orders.toLocaleString("en")} orders accepted, ${kills} processes killed, ${lost} lost, ${doubled} doubled. A cluster of three nodes of ${from} was replaced by a new one of ${to}, in the steps of [the guide](../guides/upgrade.md#rabbitmq). No Scheduler ran for ${(report.stoppedMs / 1_000).toFixed(1)} s.`,
    phaseTable(report.phases),
    countTable(report, ownCounts(report)),
    ...(faults.length === 0 ? [] : [`Wrong:\n\n${listOf([...faults, ...report.witnesses])}`]),
  ].join("\n\n");
}

const ownCounts = (report: MoveReport): OwnCounts => ({
  before: [],
  after: [
    ["processes that did not stop in time", report.overstayed],
    ["tasks that were begun on the broker before and ended on the new one", report.carriedOver],
    ["requests in flight that were published once more on the new broker", report.resent],
    ["attempts that expired, most of them by kills", report.expired],
  ],
});
