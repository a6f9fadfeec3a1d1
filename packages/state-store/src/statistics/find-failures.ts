import type { Instant } from "@holdfast/domain";
import { firstIdAt } from "../postgres/active-partitions.ts";
import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { FailureKind } from "./record-failures.ts";

/** Which failures are asked for; what is null does not matter. */
export interface FailureQuery {
  /** Names with their versions. */
  readonly workflows: readonly string[] | null;
  /** When their tasks were submitted. */
  readonly createdFrom: Instant | null;
  readonly createdBefore: Instant | null;
}

/** Failures of one workflow, step, code and message. */
export interface FailureGroup extends FailureKind {
  /** 16 hexadecimal digits. */
  readonly fingerprint: string;
  /** Failures ever; of a span of time the tasks that failed so, no further than to 1,000. */
  readonly count: number;
  /** Whether `count` ended there. */
  readonly hasMore: boolean;
  /** Tasks that wait for an operator, no further than to 1,000. */
  readonly open: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The ids of the last three tasks. */
  readonly sample: readonly string[];
}

export interface FailurePage {
  readonly groups: readonly FailureGroup[];
  /** Whether there are more groups. */
  readonly truncated: boolean;
}

/** Groups that are answered, and those that are looked at. */
const most = 100;
const scan = 500;

const find = query("find-failures", rowsOf<FailureGroup>());

/** Groups of failures, the latest first. It reads a bounded number of rows. */
export const findFailures = repeatable(
  async (db, { workflows, createdFrom, createdBefore }: FailureQuery): Promise<FailurePage> => {
    const groups = await find(db, {
      workflows: workflows === null ? null : [...workflows],
      createdFrom,
      from: firstIdAt(createdFrom ?? 0),
      before: firstIdAt(createdBefore ?? Number.POSITIVE_INFINITY),
      isWhole: createdFrom === null && createdBefore === null,
      scan,
      most: most + 1,
    });
    return { groups: groups.slice(0, most), truncated: groups.length > most };
  },
);
