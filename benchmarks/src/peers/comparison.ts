import { median, medianOfRatios, rounded, type Spread, spreadOf } from "@holdfast/load";
import type { CpuByPart } from "../cpu.ts";
import type { Contender } from "./contenders.ts";
import { type ByMetric, byMetric, type MetricName, metrics } from "./metrics.ts";

/** What one contender showed in one round. */
export interface Figures extends ByMetric<number> {
  /** Milliseconds of CPU for an order of the full backlog, by part. */
  readonly cpu: CpuByPart;
}

/** The figures of one round, by the contender's name. */
export type Round = Readonly<Record<string, Figures>>;

/** The machine and the versions with which it was measured, and when. */
export interface Setting {
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: number;
  readonly orders: number;
  readonly loneOrders: number;
}

export interface ContenderResult extends Pick<Contender, "name" | "title" | "shape"> {
  readonly figures: ByMetric<Spread>;
  /** Medians, milliseconds for an order. */
  readonly cpu: CpuByPart;
  /**
   * How many times as good as this one Holdfast is, as the median of the rounds' own ratios: above
   * 1 Holdfast processes more, or takes less time. Null for Holdfast itself.
   */
  readonly ratios: ByMetric<number> | null;
}

export interface Comparison {
  readonly setting: Setting;
  /** Holdfast first. */
  readonly contenders: readonly ContenderResult[];
  readonly rounds: readonly Round[];
}

export interface Measured {
  readonly setting: Setting;
  /** Holdfast first. */
  readonly contenders: readonly Contender[];
  readonly rounds: readonly Round[];
}

/** Draws the sum of the rounds. Each round has figures of each contender. */
export function compare({ setting, contenders, rounds }: Measured): Comparison {
  const ours = contenders[0]?.name ?? "";
  return {
    setting,
    rounds,
    contenders: contenders.map(({ name, title, shape }) => ({
      name,
      title,
      shape,
      figures: byMetric((metric) => spreadOf(rounds.map((round) => figure(round, name, metric)))),
      cpu: mediansOf(rounds.map((round) => round[name]?.cpu ?? {})),
      ratios: name === ours ? null : ratiosOf(rounds, ours, name),
    })),
  };
}

function ratiosOf(rounds: readonly Round[], ours: string, theirs: string): ByMetric<number> {
  return byMetric((metric) => {
    const names = metrics[metric].better === "more" ? [ours, theirs] : [theirs, ours];
    const [first = "", second = ""] = names;
    const ratio = medianOfRatios(rounds, (round) => [
      figure(round, first, metric),
      figure(round, second, metric),
    ]);
    return rounded(ratio, 2);
  });
}

const figure = (round: Round, name: string, metric: MetricName): number =>
  round[name]?.[metric] ?? Number.NaN;

function mediansOf(rounds: readonly CpuByPart[]): CpuByPart {
  const parts = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(
    parts.map((part) => [part, rounded(median(rounds.map((cpu) => cpu[part] ?? Number.NaN)), 2)]),
  );
}

/** The most important of it, for a machine to read. */
export function summaryOf({ contenders }: Comparison): Readonly<Record<string, number>> {
  const [ours, ...others] = contenders;
  if (ours === undefined) return {};
  const middle = (metric: MetricName) =>
    rounded(ours.figures[metric].median, metrics[metric].digits);
  const ratios = (prefix: string, metric: MetricName) =>
    others.map(({ name, ratios: of }) => [`${prefix}${capital(name)}`, of?.[metric]] as const);
  return {
    ordersPerSecond: middle("backlog"),
    inFlightPerSecond: middle("inFlight"),
    loneP50Ms: middle("loneP50"),
    loneP99Ms: middle("loneP99"),
    ...Object.fromEntries([
      ...ratios("vs", "backlog"),
      ...ratios("inFlightVs", "inFlight"),
      ...ratios("loneP50Vs", "loneP50"),
      ...ratios("loneP99Vs", "loneP99"),
    ]),
  };
}

const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
