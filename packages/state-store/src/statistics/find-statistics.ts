import {
  type Counts,
  type DurationHistogram,
  type Instant,
  keptFor,
  type Milliseconds,
  planBuckets,
  spansOf,
  type TimeSpan,
  widthOf,
} from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { columns, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { gapSpan } from "./roll-up.ts";

export interface StatisticsProgress {
  /** When entries of the history were counted last; null: never. */
  readonly countedAt: Date | null;
  /** Entries that are not counted yet, at most. */
  readonly behind: number;
  /** Whether a round has something to do. */
  readonly isDue: boolean;
}

export interface StatisticsQuery extends TimeSpan {
  readonly now: Instant;
  /** Names with their versions, which are counted together; null: everything. */
  readonly workflows: readonly string[] | null;
}

export interface StatisticsBucket extends Counts {
  readonly at: Instant;
  readonly durations: DurationHistogram;
}

/** The spans that had something; the others are zero. */
export interface Statistics extends TimeSpan {
  readonly bucketMs: Milliseconds;
  readonly buckets: readonly StatisticsBucket[];
}

export interface TotalsQuery extends TimeSpan {
  readonly now: Instant;
  readonly of: "everything" | "workflow" | "agent";
}

export interface SubjectTotals extends Counts {
  /** The name of the workflow or Agent. */
  readonly subject: string;
  readonly durations: DurationHistogram;
}

const findProgress = query(
  "find-statistics-progress",
  rowsOf<{ countedTo: number; countedAt: Date | null; lastId: number; hasGaps: boolean }>(),
);
const findBuckets = query("find-statistics", rowsOf<StatisticsBucket>());
const findSums = query("find-statistics-totals", rowsOf<SubjectTotals>());

/** How far the history is counted. */
export const findStatisticsProgress = repeatable(async (db): Promise<StatisticsProgress> => {
  const [found] = await findProgress(db, { gapSpan: String(gapSpan) });
  const behind = Math.max(0, found!.lastId - found!.countedTo);
  return { countedAt: found!.countedAt, behind, isDue: behind > 0 || found!.hasGaps };
});

/** Counts in spans of equal width, 400 at most whatever the range. */
export const findStatistics = repeatable(
  async (db, { workflows, now, ...span }: StatisticsQuery): Promise<Statistics> => {
    const { resolution, bucketMs, from, until } = planBuckets(span, now);
    const subjects = workflows === null ? [""] : workflows.map((name) => `workflow:${name}`);
    const buckets = await findBuckets(db, { subjects, resolution, bucketMs, from, until });
    return { from, until, bucketMs, buckets };
  },
);

/** The sums of a range for each workflow or Agent, 200 at most. */
export const findTotals = repeatable(
  async (db, { of, now, from, until }: TotalsQuery): Promise<readonly SubjectTotals[]> => {
    const finest = from >= now - keptFor.minute ? "minute" : "hour";
    const width = widthOf[finest];
    const whole = {
      from: Math.floor(from / width) * width,
      until: Math.ceil(until / width) * width,
    };
    const spans = columns(spansOf(whole, finest), {
      resolutions: "resolution",
      froms: "from",
      untils: "until",
    });
    const prefix = of === "everything" ? "" : `${of}:`;
    const sums = await findSums(db, { ...spans, prefix, isOne: of === "everything" });
    return sums.map((one) => ({ ...one, subject: one.subject.slice(prefix.length) }));
  },
);
