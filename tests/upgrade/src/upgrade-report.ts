/** What happened in one phase of a run. */
export interface PhaseReport {
  readonly name: string;
  /** What runs in it, and what is done. */
  readonly what: string;
  readonly seconds: number;
  /** Processes of the release before that were killed. */
  readonly killsBefore: number;
  /** Processes of this release that were killed. */
  readonly killsHere: number;
  /** Orders that were accepted. */
  readonly orders: number;
  /** The longest time in milliseconds in which no order was accepted over HTTP. */
  readonly longestPauseMs: number;
}

/** A service of the release before that did not start on the store of this one. */
export interface Refusal {
  readonly service: string;
  /** What it said. */
  readonly said: string;
}

/** What a run came to. */
export interface UpgradeReport {
  /** The release before, by its commit. */
  readonly from: string;
  /** This release. */
  readonly to: string;
  readonly seed: number;
  readonly seconds: number;
  /** The migrations that this release has and the one before has not. */
  readonly migrations: readonly string[];
  /** Whether all services but the Agents were stopped for the migration; otherwise they were replaced one by one. */
  readonly stopped: boolean;
  /** What services of the release before said on the store of this one; empty: they started, and went back and forth. */
  readonly refusals: readonly Refusal[];
  readonly phases: readonly PhaseReport[];
  readonly kills: number;
  /** Processes that ended by themselves, or did not get ready. */
  readonly crashed: number;
  /** Orders that were accepted, by the way in which they came. */
  readonly orders: Readonly<Record<"http" | "message" | "sql", number>>;
  readonly processed: number;
  readonly undone: number;
  readonly halted: number;
  readonly open: number;
  readonly refused: number;
  readonly lost: number;
  readonly doubled: number;
  readonly deadLetters: number;
  readonly violations: number;
  /** Tasks on which the release before acted, and which this one brought to their end. */
  readonly carriedOver: number;
  /** Tasks on which this release acted, and which the one before brought to their end. */
  readonly carriedBack: number;
  /** Tasks of a workflow that only the release before has stored, begun after the upgrade. */
  readonly ofKeptWorkflow: number;
  /** The first things that are wrong, in words. */
  readonly witnesses: readonly string[];
}

export const ordersOf = ({ orders }: UpgradeReport): number =>
  orders.http + orders.message + orders.sql;

/** A refusal that says which schema the store has, which one is needed, and what to do. */
const clearRefusal = /^The state store has schema \d+, this release needs \d+: \w/;

/** What of a run is not as it must be; empty: all holds. */
export function faultsOf(report: UpgradeReport): readonly string[] {
  const { crashed, halted, open, refused, lost, doubled, deadLetters, violations } = report;
  const counts = { crashed, halted, open, refused, lost, doubled, deadLetters, violations };
  return [
    ...Object.entries(counts).flatMap(([name, count]) =>
      count === 0 ? [] : [`${name}: ${count}`],
    ),
    ...report.refusals
      .filter(({ said }) => !clearRefusal.test(said))
      .map(({ service, said }) => `${service} refused to start, and said: ${said}`),
    ...vacuityOf(report),
  ];
}

/** Why a run proves nothing; empty: it does. */
function vacuityOf(report: UpgradeReport): readonly string[] {
  const wentBack = report.refusals.length === 0;
  return [
    ...report.phases.flatMap(({ name, killsBefore, killsHere, orders }) => [
      ...(orders === 0 ? [`no order was accepted in the phase "${name}"`] : []),
      ...(killsBefore + killsHere === 0 ? [`no process was killed in the phase "${name}"`] : []),
    ]),
    ...(report.carriedOver === 0 ? ["no task of the release before ended on this one"] : []),
    ...(wentBack && report.carriedBack === 0
      ? ["no task of this release ended on the one before"]
      : []),
    ...(report.ofKeptWorkflow === 0 ? ["no task of a kept workflow was begun afterwards"] : []),
  ];
}
