import {
  type Fairness,
  type Goal,
  type Instant,
  idOfDigits,
  openTaskStates,
  type Priority,
  type TaskState,
} from "@holdfast/domain";
import { firstIdAt } from "../postgres/active-partitions.ts";
import { repeatable } from "../postgres/operation.ts";
import { type Database, query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { Labels } from "../submit/new-task.ts";
import { instant } from "./read-task.ts";

/** What tasks can be filtered by. */
export type TaskField =
  | "workflow"
  | "state"
  | "priority"
  | "key"
  | "faultCode"
  | "correlationId"
  /** The name of a step that waits now. */
  | "awaiting"
  | `label.${string}`;

/** What must be true of a field. A `like` pattern has `%` and `_`, as in SQL. */
export type TaskCondition = { readonly field: TaskField } & (
  | { readonly operator: "in"; readonly operand: readonly string[] }
  | { readonly operator: "like"; readonly operand: string }
  | { readonly operator: "exists"; readonly operand: boolean }
);

/** Which tasks are asked for; what is null does not matter. */
export interface TaskFilter {
  readonly tenant: string;
  /** All must be true. The names of workflows have their versions. */
  readonly conditions: readonly TaskCondition[];
  readonly createdFrom: Instant | null;
  readonly createdBefore: Instant | null;
  /** Tasks with a failure of that group. */
  readonly fingerprint?: string | null;
  /**
   * An id, a business key, an idempotency key, a correlation id or a fault code; of an id or a code
   * the beginning will do.
   */
  readonly text?: string | null;
}

/** The beginning and the length of a page. */
export interface PageQuery {
  /** The id after which the last page ended. */
  readonly after: string | null;
  /** How many, at most. */
  readonly most: number;
}

/** A task in a list. Instants are ISO 8601, in UTC with a Z. */
export interface ListedTask {
  readonly taskId: string;
  readonly workflow: string;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly version: number;
  readonly priority: Priority;
  /** The fairness; null: the task shares its band with others by nothing but time. */
  readonly fairness: Fairness | null;
  readonly faultCode: string | null;
  readonly correlationId: string | null;
  readonly key: string | null;
  readonly labels: Labels;
  readonly notBefore: string | null;
  readonly paused: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
}

export interface TaskPage {
  readonly items: readonly ListedTask[];
  /**
   * The id after which the next page begins; null: this is the last one. A page may have few items,
   * or none, and not be the last.
   */
  readonly next: string | null;
}

/** How many tasks match. */
export interface TaskCount {
  readonly count: number;
  /**
   * Whether all tasks were looked at. False: there are more than are looked at, and at least so
   * many match.
   */
  readonly complete: boolean;
}

/**
 * Tasks that one page looks at, whether they match or not: it costs no more in a store of any size.
 */
const scan = 5_000;
/** Tasks that one statement of a count looks at, and how many such statements there are at most. */
const countScan = 20_000;
const countPages = 25;

interface FoundTasks {
  readonly items: readonly ListedTask[];
  readonly matches: number;
  readonly ids: readonly (readonly [taskId: string, version: number])[] | null;
  readonly lastId: string | null;
}

const findTasks = query("find-tasks", rowsOf<FoundTasks>());

const wholeTasks = { countOnly: false, idsOnly: false };

/** A page of the ids of tasks, newest first, and the versions that they have. */
export interface TaskIdPage {
  readonly ids: readonly (readonly [taskId: string, version: number])[];
  /** The id after which the next page begins; null: this is the last one. */
  readonly next: string | null;
}

/** Finds the ids of tasks, newest first, by the same rules as `listTasks`. */
export async function listTaskIds(
  db: Database,
  filter: TaskFilter & PageQuery,
): Promise<TaskIdPage> {
  const { after, most } = filter;
  const how = { most, scan, countOnly: false, idsOnly: true };
  const [page] = await findTasks(db, { ...queryOf(filter, after), ...how });
  return { ids: page!.ids ?? [], next: page!.lastId };
}

/**
 * A page of tasks, newest first, found by the index that leaves least to look at. It reads a
 * bounded number of rows, whatever the history.
 */
export const listTasks = repeatable(
  async (db, filter: TaskFilter & PageQuery): Promise<TaskPage> => {
    const { after, most } = filter;
    const [page] = await findTasks(db, { ...queryOf(filter, after), most, scan, ...wholeTasks });
    const items = page!.items.map((item) => ({
      ...item,
      createdAt: instant(item.createdAt) ?? item.createdAt,
      updatedAt: instant(item.updatedAt) ?? item.updatedAt,
      finishedAt: instant(item.finishedAt),
      notBefore: instant(item.notBefore),
    }));
    return { items, next: page!.lastId };
  },
);

/** How many tasks match, of half a million at most. */
export const countMatchingTasks = repeatable(async (db, filter: TaskFilter): Promise<TaskCount> => {
  let count = 0;
  let after: string | null = null;
  const how = { most: countScan, scan: countScan, countOnly: true, idsOnly: false };
  for (let pages = 0; pages < countPages; pages += 1) {
    const [page] = await findTasks(db, { ...queryOf(filter, after), ...how });
    count += page!.matches;
    after = page!.lastId;
    if (after === null) return { count, complete: true };
  }
  return { count, complete: false };
});

function queryOf(
  { tenant, conditions, createdFrom, createdBefore, fingerprint = null, text = null }: TaskFilter,
  after: string | null,
) {
  const end = firstIdAt(createdBefore ?? Number.POSITIVE_INFINITY);
  return {
    tenant,
    before: after !== null && after < end ? after : end,
    from: firstIdAt(createdFrom ?? 0),
    ...(text === null && fingerprint === null
      ? indexFor(conditions)
      : { by: text === null ? "fingerprint" : "text", value: text ?? fingerprint, label: null }),
    ...idsBeginning(text ?? ""),
    fingerprint: text === null ? null : fingerprint,
    fields: conditions.map(({ field }) => field as string),
    operators: conditions.map(({ operator }) => operator as string),
    operands: conditions.map(({ operand }) => JSON.stringify(operand)),
  };
}

const openStates: ReadonlySet<string> = new Set(openTaskStates);

/** The index by which tasks are found; each condition is checked in any case. */
function indexFor(conditions: readonly TaskCondition[]) {
  const exact = conditions.flatMap(({ field, operator, operand }) =>
    operator === "in" && operand.length === 1 ? [{ field, value: operand[0] ?? "" }] : [],
  );
  const key = exact.find(({ field }) => field === "key");
  if (key !== undefined) return { by: "key", value: key.value, label: null };
  const label = exact.find(({ field }) => field.startsWith("label."));
  if (label !== undefined) {
    return { by: "label", value: label.value, label: label.field.slice("label.".length) };
  }
  // Few tasks wait: one that does not is looked for among all.
  const awaits = conditions.some(({ field, operand }) => field === "awaiting" && operand !== false);
  if (awaits) return { by: "awaiting", value: null, label: null };
  const isOpen = conditions.some(
    ({ field, operator, operand }) =>
      field === "state" && operator === "in" && operand.every((state) => openStates.has(state)),
  );
  return { by: isOpen ? "open" : "id", value: null, label: null };
}

/** The ids that begin so; none, if no id does. */
function idsBeginning(text: string) {
  const digits = text.toLowerCase().replaceAll("-", "");
  if (!/^[0-9a-f]{4,32}$/.test(digits)) return { idFrom: null, idTo: null };
  return { idFrom: idOfDigits(digits.padEnd(32, "0")), idTo: idOfDigits(digits.padEnd(32, "f")) };
}

const selectCounts = query("count-tasks", rowsOf<{ processState: TaskState; tasks: number }>());

/** How many tasks there are in each state. Reads them all: for tests and people. */
export const countTasks = repeatable(
  async (db): Promise<Partial<Record<TaskState, number>>> =>
    Object.fromEntries(
      (await selectCounts(db, {})).map(({ processState, tasks }) => [processState, tasks]),
    ),
);

const selectWorkflows = queryAmong("find-workflows-of", rowsOf<TaskOfWorkflow>());
const findFinished = queryAmong("find-finished-tasks", rowsOf<{ taskId: string }>());

interface TaskOfWorkflow {
  readonly taskId: string;
  readonly workflow: string;
}

/** The workflows of these tasks, by their ids; of those that there are. */
export const findWorkflowsOf = repeatable(
  async (
    db,
    { taskIds }: { readonly taskIds: readonly string[] },
    { partitions },
  ): Promise<ReadonlyMap<string, string>> => {
    const found = await selectWorkflows(db, partitions.monthsOf(taskIds), {
      taskIds: [...taskIds],
    });
    return new Map(found.map(({ taskId, workflow }) => [taskId, workflow]));
  },
);

/** Finds those of these tasks that have ended, or wait for an operator themselves. */
export const findFinishedTasks = repeatable(
  async (
    db,
    { taskIds }: { readonly taskIds: readonly string[] },
    { partitions },
  ): Promise<readonly string[]> => {
    const found = await findFinished(db, partitions.monthsOf(taskIds), { taskIds: [...taskIds] });
    return found.map(({ taskId }) => taskId);
  },
);
