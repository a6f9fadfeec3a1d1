import { createHash } from "node:crypto";
import {
  calendarOf,
  inputAt,
  type Schedule,
  type WholeSchedule,
  wholeSchedule,
  zoneRules,
} from "@holdfast/contracts";
import {
  type Calendar,
  canonicalJson,
  type Instant,
  type LastTask,
  type Milliseconds,
  type PlannedFire,
  type PlannedFires,
  planFires,
} from "@holdfast/domain";
import { composed, exactlyOnce, repeatable } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { inTransaction, withRetries } from "../postgres/transaction.ts";

/** A schedule as it is stored. Instants are ISO 8601. */
export interface StoredSchedule {
  readonly id: string;
  readonly definition: WholeSchedule;
  /** Rises with each change of the definition. */
  readonly version: number;
  /** The next instant; null: it is paused, or there is none. */
  readonly next: string | null;
  /** The instant that waits for the end of the last task; null: none does. */
  readonly buffered: string | null;
  /** The last task, until its end is counted; null: there is none. */
  readonly lastTask: string | null;
  /** Tasks in a row that have failed. */
  readonly failures: number;
  /** Instants in a row that were skipped, and found the same task open. */
  readonly skips: number;
  readonly paused: {
    readonly at: string;
    readonly by: string;
    readonly reason: string | null;
  } | null;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly changedBy: string;
}

interface ScheduleRow
  extends Omit<StoredSchedule, "next" | "buffered" | "paused" | "createdAt" | "changedAt"> {
  readonly nextInstant: Date | null;
  readonly buffered: Date | null;
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly pauseReason: string | null;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

const put = query("put-schedule", rowsOf<{ id: string }>());
const remove = query("delete-schedule", rowsOf<{ id: string }>());
const pauseRow = query("pause-schedule", rowsOf<{ id: string }>());
const resumeRow = query("resume-schedule", rowsOf<{ id: string }>());
const select = query("find-schedules", rowsOf<ScheduleRow>());
const selectFires = query("find-fires", rowsOf<FireRow>());
const lockDue = query("lock-due-schedules", rowsOf<DueSchedule>());
const lockOne = query(
  "lock-schedule",
  rowsOf<{ id: string; definition: WholeSchedule; now: number }>(),
);
const saveFires = query("save-fires", rowsOf<SavedFire>());
const saveSchedules = query("save-schedules");
const readNext = query("next-schedule", rowsOf<{ nextIn: number | null; now: number }>());

/**
 * How long after an instant a schedule fires: the same for the same instant, so that a crash moves
 * nothing, and before the next instant comes, so that none waits for an earlier one.
 */
export function offsetOf(
  id: string,
  jitter: Milliseconds,
  calendar: Calendar,
): (instant: Instant) => Milliseconds {
  if (jitter === 0) return () => 0;
  return (instant) => {
    const hash = createHash("sha256").update(`${id} ${instant}`).digest();
    const next = calendar.after(instant);
    const longest = next === null ? jitter : Math.min(jitter, next - instant);
    return hash.readUIntBE(0, 6) % longest;
  };
}

/** When a schedule fires first that begins, or begins again, at an instant. */
function beginning(id: string, definition: WholeSchedule, now: Instant) {
  const calendar = calendarOf(definition);
  const nextInstant = calendar.after(now);
  const offset = offsetOf(id, definition.jitter, calendar);
  const dueAt = nextInstant === null ? null : nextInstant + offset(nextInstant);
  return { nextInstant, dueAt, zoneRules };
}

/** Stores a schedule that is sound. Returns whether that changed anything. */
export const putSchedule = exactlyOnce(
  async (
    db,
    {
      id,
      schedule,
      actor,
    }: { readonly id: string; readonly schedule: Schedule; readonly actor: string },
  ): Promise<boolean> => {
    const definition = wholeSchedule(schedule);
    const now = (await readNext(db, {}))[0]!.now;
    const rows = await put(db, {
      id,
      // The same definition is the same text.
      definition: canonicalJson(definition),
      ...beginning(id, definition, now),
      actor,
    });
    return rows.length > 0;
  },
);

/** Deletes a schedule; false: there is none. */
export const deleteSchedule = exactlyOnce(
  async (db, params: { readonly id: string }): Promise<boolean> =>
    (await remove(db, params)).length > 0,
);

/** Pauses a schedule; false: there is none, or it is paused. */
export const pauseSchedule = exactlyOnce(
  async (
    db,
    params: { readonly id: string; readonly actor: string; readonly reason: string | null },
  ): Promise<boolean> => (await pauseRow(db, params)).length > 0,
);

/** Resumes a schedule; false: there is none, or it is not paused. */
export const resumeSchedule = exactlyOnce(
  async (db, { id }: { readonly id: string }): Promise<boolean> => {
    const [locked] = await lockOne(db, { id });
    if (locked === undefined) return false;
    const { definition, now } = locked;
    return (await resumeRow(db, { id, ...beginning(id, definition, now) })).length > 0;
  },
);

export interface ScheduleQuery {
  /** One alone; null: all. */
  readonly id: string | null;
  /** The id that the page begins after; null: it is the first. */
  readonly after: string | null;
  readonly most: number;
}

/** A page of schedules, by their ids. */
export const findSchedules = repeatable(
  async (
    db,
    { most, ...asked }: ScheduleQuery,
  ): Promise<{ readonly items: readonly StoredSchedule[]; readonly next: string | null }> => {
    const rows = await select(db, { ...asked, most: most + 1 });
    const items = rows.slice(0, most).map(storedIn);
    return { items, next: rows.length > most ? (items.at(-1)?.id ?? null) : null };
  },
);

const storedIn = ({
  nextInstant,
  buffered,
  pausedAt,
  pausedBy,
  pauseReason,
  createdAt,
  changedAt,
  ...row
}: ScheduleRow): StoredSchedule => ({
  ...row,
  next: pausedAt === null ? (nextInstant?.toISOString() ?? null) : null,
  buffered: buffered?.toISOString() ?? null,
  paused:
    pausedAt === null
      ? null
      : { at: pausedAt.toISOString(), by: pausedBy ?? "", reason: pauseReason },
  createdAt: createdAt.toISOString(),
  changedAt: changedAt.toISOString(),
});

/** What became of an instant. */
export interface StoredFire {
  readonly instant: string;
  readonly outcome: PlannedFire["outcome"];
  readonly taskId: string | null;
  /** Who had it fire by hand; null: its calendar. */
  readonly actor: string | null;
  readonly reason: string | null;
  readonly at: string;
}

interface FireRow extends Omit<StoredFire, "instant" | "at"> {
  readonly instant: Date;
  readonly at: Date;
  readonly number: string;
  readonly schedule: string;
}

export interface FireQuery {
  readonly id: string;
  /** `next` of the page before; null: it is the first. */
  readonly after: string | null;
  readonly most: number;
}

/** What became of the instants of a schedule, the latest first. */
export const findFires = repeatable(
  async (
    db,
    { id, after, most }: FireQuery,
  ): Promise<{ readonly items: readonly StoredFire[]; readonly next: string | null }> => {
    const before = after === null ? null : Number(after);
    const rows = await selectFires(db, { id, before, most: most + 1 });
    const page = rows.slice(0, most);
    return {
      items: page.map(({ instant, outcome, taskId, actor, reason, at }) => ({
        instant: instant.toISOString(),
        outcome,
        taskId,
        actor,
        reason,
        at: at.toISOString(),
      })),
      next: rows.length > most ? (page.at(-1)?.number ?? null) : null,
    };
  },
);

interface DueSchedule {
  readonly id: string;
  readonly definition: WholeSchedule;
  readonly version: number;
  readonly nextInstant: number | null;
  readonly buffered: number | null;
  readonly dealtWith: number;
  readonly failures: number;
  readonly skips: number;
  readonly zoneRules: string;
  readonly lastTask: string | null;
  readonly now: number;
  readonly last: LastTask;
}

/** What became of an instant, by the schedule. */
export interface SavedFire {
  readonly schedule: string;
  readonly instant: number;
  readonly outcome: PlannedFire["outcome"];
  readonly taskId: string | null;
}

export interface ScheduleRound {
  /** Who fires: stands where a schedule is paused by it. */
  readonly actor: string;
  /** Schedules at most. */
  readonly most: number;
  /** What the store's clock may say at most, by a clock that does not jump; null: unknown. */
  readonly latest: Instant | null;
  /** Whether schedules are looked for whose times earlier rules of time zones have said. */
  readonly checksRules: boolean;
}

/** `unusable`: its instants cannot be computed, or its input. It is looked at again later. */
type Trouble = NonNullable<PlannedFires["trouble"]> | "unusable";

/** What a round has done about schedules whose time had come. */
export interface FiredSchedules {
  readonly fires: readonly SavedFire[];
  /** The schedules that a person has to look at, and why. */
  readonly troubles: readonly { readonly id: string; readonly trouble: Trouble }[];
  /** Milliseconds until it is to be looked again; null: nothing is due. */
  readonly nextIn: Milliseconds | null;
  /** Whether more may be due than were looked at. */
  readonly isFull: boolean;
  /** The store's clock. */
  readonly now: Instant;
}

/** How long schedules are left alone that another process has locked. */
const lockedFor: Milliseconds = 500;

/**
 * Fires schedules whose time has come: what became of each instant, the task in the inbox and where
 * the schedule stands are written in one transaction. Locked ones are skipped, so several processes
 * share them. Safe to repeat.
 */
export const fireSchedules = composed(
  async ({ pool, events }, round: ScheduleRound): Promise<FiredSchedules> => {
    const { nextIn, now } = (await withRetries(() => readNext(pool, {})))[0]!;
    const isDue = nextIn !== null && nextIn <= 0;
    if (!isDue && !round.checksRules)
      return { fires: [], troubles: [], nextIn, isFull: false, now };
    return withRetries(() =>
      inTransaction(pool, async (client) => {
        const { most, latest, actor } = round;
        const due = await lockDue(client, { most, latest, zoneRules });
        const planned = due.map(plannedOf);
        const fires = await savePlanned(client, planned, events);
        return {
          sent:
            due.length === 0
              ? []
              : [saveSchedules(client, { ...stateColumns(planned, fires), actor, zoneRules })],
          result: () => ({
            fires,
            troubles: planned.flatMap(({ one: { id }, trouble }) =>
              trouble === null ? [] : [{ id, trouble }],
            ),
            nextIn: due.length > 0 ? 0 : isDue ? lockedFor : nextIn,
            isFull: due.length === most,
            now,
          }),
        };
      }),
    );
  },
);

interface Planned {
  readonly one: DueSchedule;
  readonly plan: Omit<PlannedFires, "trouble">;
  readonly trouble: Trouble | null;
  /** The submission of each of its fires. */
  readonly submissions: readonly string[];
}

/** How long one is left alone that cannot be planned. */
const unusableFor: Milliseconds = 900_000;

/** Plans a schedule. What is wrong with one must not keep the others of its round from firing. */
function plannedOf(one: DueSchedule): Planned {
  try {
    const { trouble, ...plan } = planOf(one);
    return { one, plan, trouble, submissions: plan.fires.map((fire) => submissionOf(one, fire)) };
  } catch {
    const { nextInstant: next, buffered, failures, skips, now } = one;
    const state = { next, buffered, failures, skips };
    const plan = { fires: [], state, dueAt: now + unusableFor };
    return { one, plan, trouble: "unusable", submissions: [] };
  }
}

/** What a schedule does now. Where the rules of zones have changed, its next instant is another. */
function planOf(one: DueSchedule): PlannedFires {
  const { id, definition, buffered, failures, skips, now, last } = one;
  const calendar = calendarOf(definition);
  const isMoved = one.zoneRules < zoneRules;
  const next = isMoved ? calendar.after(one.dealtWith) : one.nextInstant;
  const at = { now, last, calendar, offset: offsetOf(id, definition.jitter, calendar) };
  return planFires(definition, { next, buffered, failures, skips }, at);
}

async function savePlanned(
  db: Database,
  planned: readonly Planned[],
  events: boolean,
): Promise<readonly SavedFire[]> {
  const rows = planned.flatMap(({ one, plan, submissions }) =>
    plan.fires.map((fire, index) => ({
      ...fire,
      schedule: one.id,
      submission: submissions[index]!,
    })),
  );
  if (rows.length === 0) return [];
  const names = {
    schedules: "schedule",
    instants: "instant",
    outcomes: "outcome",
    submissions: "submission",
  } as const;
  return saveFires(db, { ...columns(rows, names), actor: null, reason: null, events });
}

/**
 * The submission of an instant, as an application would enqueue it; of one that does not fire only
 * its workflow.
 */
const submissionOf = (
  { id, definition }: Pick<DueSchedule, "id" | "definition">,
  { instant, outcome }: PlannedFire,
): string => {
  const { workflow, priority, labels } = definition;
  if (outcome !== "fired") return JSON.stringify({ workflow });
  return JSON.stringify({
    workflow,
    input: inputAt(definition, id, instant),
    ...(priority === undefined ? {} : { priority }),
    ...(labels === undefined ? {} : { labels }),
  });
};

function stateColumns(planned: readonly Planned[], fires: readonly SavedFire[]) {
  const tasks = new Map(
    fires.flatMap(({ schedule, taskId }) => (taskId === null ? [] : [[schedule, taskId] as const])),
  );
  const rows = planned.map(
    ({ one: { id, dealtWith, lastTask, last }, plan: { state, dueAt, fires: of }, trouble }) => ({
      id,
      nextInstant: state.next,
      dueAt,
      buffered: state.buffered,
      dealtWith: Math.max(dealtWith, ...of.map(({ instant }) => instant)),
      // The end of a task counts once.
      lastTask: tasks.get(id) ?? (last === "open" || trouble === "unusable" ? lastTask : null),
      failures: state.failures,
      skips: state.skips,
      trouble,
    }),
  );
  return columns(rows, {
    ids: "id",
    nextInstants: "nextInstant",
    dueAts: "dueAt",
    buffereds: "buffered",
    dealtWiths: "dealtWith",
    lastTasks: "lastTask",
    failures: "failures",
    skips: "skips",
    troubles: "trouble",
  });
}

export interface FireByHand {
  readonly id: string;
  /** The instants for which it fires; null: now. */
  readonly instants: readonly Instant[] | null;
  readonly actor: string;
  readonly reason: string | null;
}

/**
 * Has a schedule fire by hand, for now or for instants of the past, each at most once among them,
 * whatever its last task does. An instant that has fired stays as it is; one that was missed or
 * skipped fires. Null: there is no such schedule.
 */
export const fireByHand = composed(
  ({ pool, events }, { id, instants, actor, reason }: FireByHand) =>
    withRetries(() =>
      inTransaction(pool, async (client) => {
        const [schedule] = await lockOne(client, { id });
        if (schedule === undefined) return { sent: [], result: () => null };
        const rows = (instants ?? [Math.floor(schedule.now)])
          .map((instant) => ({ schedule: id, instant, outcome: "fired" as const }))
          .map((fire) => ({ ...fire, submission: submissionOf(schedule, fire) }));
        const names = {
          schedules: "schedule",
          instants: "instant",
          outcomes: "outcome",
          submissions: "submission",
        } as const;
        const saved = await saveFires(client, { ...columns(rows, names), actor, reason, events });
        return { sent: [], result: (): readonly SavedFire[] | null => saved };
      }),
    ),
);
