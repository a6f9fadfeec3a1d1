import { median, medianOfRatios, rounded } from "@holdfast/load";
import type { SetupFigures } from "./measure-setup.ts";
import type { Setup } from "./setups.ts";

/** The figures of one round, by the name of the setup. */
export type Round = Readonly<Record<string, SetupFigures>>;

type Figure = Exclude<keyof SetupFigures, "cpu">;

/** What one setup showed: medians. */
export interface ScaleRow extends Readonly<Record<Figure, number>> {
  readonly name: string;
  readonly title: string;
  /** The ratio to the first setup of the same kind: the median of the rounds' own ratios. */
  readonly ratio: number;
}

/** Draws the sum of the rounds. Each round has figures of each setup. */
export const rowsOf = (setups: readonly Setup[], rounds: readonly Round[]): readonly ScaleRow[] =>
  setups.map(({ name, title, kind }) => {
    const first = setups.find((setup) => setup.kind === kind)?.name ?? name;
    const middle = (key: Figure, digits: number) =>
      rounded(median(rounds.map((round) => round[name]?.[key] ?? Number.NaN)), digits);
    const ratio = medianOfRatios(rounds, (round) => [
      round[name]?.ordersPerSecond ?? Number.NaN,
      round[first]?.ordersPerSecond ?? Number.NaN,
    ]);
    return {
      name,
      title,
      ordersPerSecond: middle("ordersPerSecond", 0),
      ratio: rounded(ratio, 2),
      statementsPerOrder: middle("statementsPerOrder", 2),
      statementsAtRest: middle("statementsAtRest", 2),
    };
  });
