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

/**
 * How orders come: as load over HTTP, by message and by SQL, and by the clients and commands of
 * both releases.
 */
const ways = ["http", "message", "sql", "client", "command"] as const;
type Way = (typeof ways)[number];

export const ordersBy = (count: (way: Way) => number): UpgradeReport["orders"] =>
  Object.fromEntries(ways.map((way) => [way, count(way)])) as UpgradeReport["orders"];

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
  /**
   * Whether all services but the Agents were stopped for the migration; otherwise they were
   * replaced one by one.
   */
  readonly stopped: boolean;
  /**
   * What services of the release before said on the store of this one; empty: they started, and
   * went back and forth.
   */
  readonly refusals: readonly Refusal[];
  readonly phases: readonly PhaseReport[];
  readonly kills: number;
  /** Processes that ended by themselves, or did not get ready. */
  readonly crashed: number;
  /** Processes of this release that were asked to stop, and had not when their grace was over. */
  readonly overstayed: number;
  /** Processes of the release before that had not: it is as it is. */
  readonly overstayedBefore: number;
  /** Orders that were accepted, by the way in which they came. */
  readonly orders: Readonly<Record<Way, number>>;
  /** Orders that clients and commands of the release before submitted to this one, and read. */
  readonly calledFromBefore: number;
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
  ways.reduce((sum, way) => sum + orders[way], 0);

/** A refusal that says which schema the store has, which one is needed, and what to do. */
const clearRefusal = /^The state store has schema \d+, this release needs \d+: \w/;

/** What of a run is not as it must be; empty: all holds. */
export function faultsOf(report: UpgradeReport): readonly string[] {
  const { crashed, overstayed, halted, open, refused, lost, doubled } = report;
  const { deadLetters, violations } = report;
  const ends = { crashed, overstayed, halted, open, refused, lost, doubled };
  const counts = { ...ends, deadLetters, violations };
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
    ...(report.calledFromBefore === 0
      ? ["no client or command of the release before called this one"]
      : []),
    ...(report.ofKeptWorkflow === 0 ? ["no task of a kept workflow was begun afterwards"] : []),
  ];
}
