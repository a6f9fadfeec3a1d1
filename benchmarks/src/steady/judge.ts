import { rounded, sum } from "@holdfast/load";
import { bytesOf, type Figure, figuresOf, keptTables, type Unit } from "./figures.ts";
import type { Sample } from "./sample.ts";

/** Whether one figure levelled off. */
export interface Verdict {
  readonly name: string;
  readonly unit: Unit;
  /** Means of the middle third and of the last third. */
  readonly middle: number;
  readonly last: number;
  readonly perHour: number;
  /** How many times as much in the last third; null: there was nothing in the middle one. */
  readonly ratio: number | null;
  readonly grows: boolean;
}

/** What one more order takes of the disk in a table that keeps it. */
export interface Kept {
  readonly name: string;
  readonly middle: number;
  readonly last: number;
}

export interface Judgement {
  readonly verdicts: readonly Verdict[];
  readonly kept: readonly Kept[];
  /** Bytes of WAL that an order makes. */
  readonly wal: Omit<Kept, "name">;
}

/** The part of the mean of the middle third by which a figure may grow. */
export const tolerance = 0.05;

/** The first third is for warming up: it is not judged. Needs three samples at least. */
export function judge(samples: readonly Sample[]): Judgement {
  const middle = third(samples, 1);
  const last = third(samples, 2);
  return {
    verdicts: figuresOf(samples).map((figure) => judgeFigure(figure, { middle, last })),
    kept: keptTables.map((name) => ({
      name,
      ...growthOf(samples, (sample) => bytesOf(name, sample)),
    })),
    wal: growthOf(samples, ({ store }) => store.wal),
  };
}

/** The growth of a third begins where the one before it ended. */
const growthOf = (samples: readonly Sample[], of: (sample: Sample) => number) => ({
  middle: perOrder(third(samples, 1, 1), of),
  last: perOrder(third(samples, 2, 1), of),
});

function third(samples: readonly Sample[], index: number, before = 0): readonly Sample[] {
  const border = (thirds: number) => Math.round((samples.length * thirds) / 3);
  return samples.slice(border(index) - before, border(index + 1));
}

interface Thirds {
  readonly middle: readonly Sample[];
  readonly last: readonly Sample[];
}

/** It grows if its mean did by more than the tolerance, and above all that there was before. */
function judgeFigure({ name, unit, of }: Figure, thirds: Thirds): Verdict {
  const middle = meanOf(thirds.middle, of);
  const last = meanOf(thirds.last, of);
  const hours = (meanOf(thirds.last, minuteOf) - meanOf(thirds.middle, minuteOf)) / 60;
  return {
    name,
    unit,
    middle: rounded(middle, 3),
    last: rounded(last, 3),
    perHour: rounded((last - middle) / hours, 3),
    ratio: middle === 0 ? null : rounded(last / middle, 3),
    grows: last > middle * (1 + tolerance) && last > Math.max(...thirds.middle.map(of)),
  };
}

const minuteOf = ({ minute }: Sample): number => minute;

const meanOf = (samples: readonly Sample[], of: (sample: Sample) => number): number =>
  sum(samples.map(of)) / samples.length;

function perOrder(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (first === undefined || last === undefined) return Number.NaN;
  return rounded((of(last) - of(first)) / (last.done - first.done), 0);
}
