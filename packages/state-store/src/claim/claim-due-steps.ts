import { bandOf, definitionFormat } from "@holdfast/domain";
import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { once, repeatable } from "../postgres/operation.ts";
import { columns, type Database, query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type {
  AttemptKey,
  ClaimedRow,
  ClaimedStep,
  ClaimOptions,
  ResendOptions,
} from "./claimed-step.ts";
import { type DueIndex, spansUpTo } from "./due-index.ts";

const claim = queryAmong("claim-due-steps", rowsOf<Required<ClaimedRow>, "token">());
const takeUnconfirmed = queryAmong(
  "take-unconfirmed-steps",
  rowsOf<Required<ClaimedStep>, "token">(),
);
const unconfirm = queryAmong("unconfirm-steps", rowsOf<{ steps: number }>());
const confirmDispatched = queryAmong("confirm-requests");

const lastBand = bandOf("batch");

/** The indexes and partitions in which a claim looks for due steps. */
interface SearchedRanges {
  readonly dueIndex: DueIndex;
  readonly partitions: ActivePartitions;
}

/**
 * Claims due steps in their due order, with SKIP LOCKED: fewer than asked for, or none, if other
 * Schedulers were quicker. If the answer is lost, the steps are claimed, and the resend publishes
 * them.
 */
export const claimDueSteps = once(
  async (db, options: ClaimOptions, context): Promise<readonly ClaimedStep[]> => {
    const claimed = await claimSteps(context)(db, options);
    context.cache.claimed(claimed, options);
    return claimed;
  },
);

/**
 * The statement alone, for a transaction: the cache may know of a claim only once it is committed.
 */
export const claimSteps =
  ({ dueIndex, partitions }: SearchedRanges) =>
  (db: Database, { capacity, upTo = lastBand, ...options }: ClaimOptions): Promise<ClaimedRow[]> =>
    claim(db, partitions.range(), {
      ...options,
      ...columns(
        capacity.map(({ agent = null, reserved = 0, ...one }) => ({ ...one, agent, reserved })),
        { lanes: "lane", agents: "agent", slots: "slots", reserved: "reserved" },
      ),
      ...columns(
        spansUpTo(
          upTo,
          dueIndex.of(capacity.map(({ lane, reserved = 0 }) => ({ lane, isSplit: reserved > 0 }))),
        ),
        {
          spanLanes: "lane",
          spanLows: "lowBand",
          spanFroms: "from",
          spanHighs: "highBand",
          spanTos: "to",
        },
      ),
      format: definitionFormat,
    });

/**
 * Takes over requests whose confirm was not recorded in time, so that the caller publishes them
 * again. If the answer is lost, they are taken over, and the resend publishes them later.
 */
export const takeUnconfirmedSteps = once(
  (
    db,
    { resendAfter, held = [] }: ResendOptions,
    { partitions },
  ): Promise<readonly ClaimedStep[]> =>
    takeUnconfirmed(db, partitions.range(), {
      resendAfter,
      ...columns(held, { heldTaskIds: "taskId", heldNames: "name", heldAttempts: "attempt" }),
      format: definitionFormat,
    }),
);

/** Has all requests in flight that can still be begun published again; returns how many. */
export const unconfirmSteps = repeatable(async (db, _: void, { partitions }): Promise<number> => {
  const [unconfirmed] = await unconfirm(db, partitions.range(), { format: definitionFormat });
  return unconfirmed?.steps ?? 0;
});

/**
 * Records that the broker confirmed requests. Ignores attempts that are over: they need no mark.
 */
export const confirmRequests = repeatable(
  async (db, steps: readonly AttemptKey[], { partitions }): Promise<void> => {
    const names = { taskIds: "taskId", names: "name", attempts: "attempt" } as const;
    const months = partitions.monthsOf(steps.map(({ taskId }) => taskId));
    await confirmDispatched(db, months, columns(steps, names));
  },
);

/**
 * How many steps of an Agent, called `lane` here, are in flight, and how many of them one Scheduler
 * has claimed.
 */
export interface StepsInFlight {
  readonly lane: string;
  readonly inFlight: number;
  readonly own: number;
  readonly urgent: number;
}

const count = queryAmong("count-steps-in-flight", rowsOf<StepsInFlight>());

/** Counts the steps in flight of each Agent that has some; `own` are those of `lockedBy`. */
export const countStepsInFlight = repeatable(
  (db, params: { readonly lockedBy: string }, { partitions }): Promise<readonly StepsInFlight[]> =>
    count(db, partitions.range(), params),
);

const find = query("find-unavailable-agents", rowsOf<{ agent: string }>());

/**
 * The Agents that are paused, or of which every instance has an open breaker: others of their pools
 * get their steps.
 */
export const findUnavailableAgents = repeatable(
  async (db): Promise<readonly string[]> => (await find(db, {})).map(({ agent }) => agent),
);
