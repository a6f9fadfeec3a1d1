import { definitionFormat, type Instant, type Json } from "@holdfast/domain";
import type { BusyMonths } from "./busy-months.ts";
import { columns } from "./columns.ts";
import type { DueSpans } from "./due-spans.ts";
import { monthsOf } from "./id-ranges.ts";
import { type Database, queryAmong } from "./query.ts";
import type { TasksInHand } from "./tasks-in-hand.ts";

/** A step that one Scheduler, and no other, may now ask its Agent to do. */
export interface ClaimedStep {
  readonly taskId: string;
  readonly name: string;
  readonly lane: string;
  readonly workflow: string;
  readonly attempt: number;
  readonly token: string;
  readonly startBy: Instant;
  readonly completeBy: Instant;
  readonly keyGeneration: number;
  /** The input of the task, where it came along and no operator has corrected the step's; null: ask. */
  readonly taskInput: Json;
  /** The store's clock at the claim. */
  readonly now: Instant;
}

/** A claimed step with what of its task is needed to have the task in hand. */
export interface ClaimedRow extends ClaimedStep {
  /** Of the task after the claim; null: another transaction held the task's row, so it is not known. */
  readonly version: number | null;
  readonly priority: number;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
}

/** What may be claimed of one lane. */
export interface Room {
  readonly lane: string;
  /** How many steps, whoever made them due. */
  readonly places: number;
  /** How many, if the same transaction makes as many due; `places` unless it is more. */
  readonly most?: number;
}

export interface ClaimOptions {
  readonly lockedBy: string;
  /** How many steps of which lane may be claimed. */
  readonly room: readonly Room[];
  /** After how many milliseconds another Scheduler may publish the request, if it is not marked. */
  readonly relayAfter: number;
}

const claim = queryAmong<object, ClaimedRow>("claim-due-steps");
const takeUndispatched = queryAmong<object, ClaimedStep>("take-undispatched-steps");
const undispatch = queryAmong<object, { steps: number }>("undispatch-steps");
const markDispatched = queryAmong("mark-dispatched-steps");

/** Where there may be something due. */
interface Where {
  readonly due: DueSpans;
  readonly busy: BusyMonths;
}

/** Claims due steps. Never waits: there may be fewer, or none, when others were quicker. */
export const claimDueSteps =
  ({ hand, ...where }: Where & { readonly hand: TasksInHand }) =>
  async (db: Database, options: ClaimOptions): Promise<readonly ClaimedStep[]> => {
    const claimed = await claimSteps(where)(db, options);
    hand.claimed(claimed, options);
    return claimed;
  };

/** The statement alone: for a transaction, before whose end nothing is in hand. */
export const claimSteps =
  ({ due, busy }: Where) =>
  (db: Database, { room, ...options }: ClaimOptions) =>
    claim(db, busy.range(), {
      ...options,
      ...columns(room, { lanes: "lane", places: "places" }),
      ...columns(due.of(room.map(({ lane }) => lane)), {
        spanLanes: "lane",
        spanFroms: "from",
        spanTos: "to",
      }),
      format: definitionFormat,
    });

/**
 * What is made due here is best claimed here, since another Scheduler would have to read its tasks: so
 * there is more room for as many as that. Which ones are claimed is decided by the order of the lane.
 */
export function roomFor(
  room: readonly Room[],
  madeDue: readonly { readonly lane: string }[],
): readonly Room[] {
  const made = Map.groupBy(madeDue, ({ lane }) => lane);
  return room
    .map(({ lane, places, most = places }) => ({
      lane,
      places: Math.max(places, Math.min(most, made.get(lane)?.length ?? 0)),
    }))
    .filter(({ places }) => places > 0);
}

/** Requests that nobody has marked as dispatched in time, now ours to publish again. */
export const takeUndispatchedSteps =
  ({ busy }: Pick<Where, "busy">) =>
  (db: Database, options: { readonly relayAfter: number }) =>
    takeUndispatched(db, busy.range(), { ...options, format: definitionFormat });

/** Has all requests in flight published again that can still be begun; says how many. */
export const undispatchSteps =
  ({ busy }: Pick<Where, "busy">) =>
  async (db: Database): Promise<number> => {
    const [undispatched] = await undispatch(db, busy.range(), { format: definitionFormat });
    return undispatched?.steps ?? 0;
  };

/** Marks requests as taken by the broker; those whose steps have moved on need no mark. */
export async function markDispatchedSteps(
  db: Database,
  steps: readonly Pick<ClaimedStep, "taskId" | "name" | "attempt">[],
): Promise<void> {
  const names = { taskIds: "taskId", names: "name", attempts: "attempt" } as const;
  const months = monthsOf(steps.map(({ taskId }) => taskId));
  await markDispatched(db, months, columns(steps, names));
}
