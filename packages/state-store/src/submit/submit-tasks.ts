import { Fault } from "@holdfast/domain";
import { composed } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { inTransaction, withRetries } from "../postgres/transaction.ts";
import { makePartitions } from "../retention/retention.ts";
import type { StoreContext } from "../store-context.ts";
import type { StoredWorkflow, WorkflowCatalog } from "../workflows/workflow-catalog.ts";
import { takeBusinessKeys } from "./business-keys.ts";
import { deleteEnqueued, lockEnqueued, withEnqueuedHashes } from "./inbox.ts";
import { insertAll } from "./insert-tasks.ts";
import type { Candidate, NewTask } from "./new-task.ts";
import { isCurrentHash } from "./read-submission.ts";

/**
 * `conflict`: the key was used for something else. `held`: another open task has its business key.
 * `retired`: its workflow takes no new tasks. `outdated`: its workflow is not the active version,
 * which it asked for.
 */
export type Submitted =
  | { readonly kind: "created" | "replayed"; readonly taskId: string }
  | { readonly kind: "conflict" }
  | { readonly kind: "held"; readonly taskId: string }
  | { readonly kind: "retired" }
  | { readonly kind: "outdated" };

const day = 24 * 60 * 60 * 1_000;

const newTaskIds = query(
  "new-task-ids",
  rowsOf<{
    taskId: string;
    now: number;
    retired: readonly string[] | null;
    inactive: readonly string[] | null;
  }>(),
);
const insertSubmissions = query("insert-submissions", rowsOf<{ taskId: string }>());
const findSubmissions = query(
  "find-submissions",
  rowsOf<{ tenant: string; key: string; hash: string; taskId: string }>(),
);

/**
 * Writes tasks with all their steps, and what their submissions take with them, in one transaction:
 * all of them or none. Safe to repeat with an idempotency key; without one, `store.outcome_unknown`
 * may lead to a second task. Throws `workflow.unknown`, and `store.refused` for a value that the
 * store cannot hold.
 */
export const submitTasks = composed(
  async (
    context,
    tasks: readonly NewTask[],
    options: { readonly actor: string },
  ): Promise<readonly Submitted[]> => {
    const attempt = async () => {
      const submitted = await withRetries(() => submitTogether(context, tasks, options));
      context.counts.submitted(tasks, submitted);
      return submitted;
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Fault && isWithoutPartition(error))) throw error;
      // No Supervisor has run for a month.
      await makePartitions(context)();
      return attempt();
    }
  },
);

/**
 * Whether a partition is missing. What any other check of the store refuses has this code, too:
 * trying that again is no harm.
 */
const isWithoutPartition = ({ details }: Fault): boolean => details["sqlstate"] === "23514";

const waitForReplication = query("wait-for-replication");

const submitTogether = (
  context: StoreContext,
  tasks: readonly NewTask[],
  { actor }: { readonly actor: string },
): Promise<readonly Submitted[]> =>
  inTransaction(context.pool, async (client) => {
    const named = [...new Set(tasks.map(({ workflow }) => workflow))];
    const ids = await newTaskIds(client, { count: tasks.length, workflows: named });
    const refused = refusing(ids[0]);
    const candidates = tasks.map((task, index) => ({
      task,
      taskId: task.enqueued?.taskId ?? ids[index]!.taskId,
    }));
    const gone = await lockEnqueued(client, candidates);
    const first = await takeKeys(
      client,
      candidates.filter((one) => mayBeMade(one, gone) && refused(one.task) === null),
    );
    const { accepted, holders } = await takeBusinessKeys(client, first);
    const workflows = await storedWorkflows(client, context.catalog, accepted);
    const earlier = await findEarlier(client, candidates, first);
    // What is answered again may not have reached a synchronous standby the first time.
    const isReplay = accepted.size < candidates.length;
    const outcomes = { accepted, earlier, refused, holders, gone };
    const submitted = candidates.map((candidate) => toSubmitted(candidate, outcomes));
    const made = candidates.filter((one, index) => isMade(one, submitted[index]!));
    return {
      sent: [
        ...insertAll(context, client, { accepted, workflows, actor, now: ids[0]?.now ?? 0 }),
        ...deleteEnqueued(client, made),
        ...(isReplay ? [waitForReplication(client, {})] : []),
      ],
      result: () => submitted,
    };
  });

/**
 * What only asks whether it is a replay makes no task, and what another process has taken makes no
 * second one.
 */
const mayBeMade = (candidate: Candidate, gone: ReadonlySet<Candidate>): boolean =>
  candidate.task.onlyRepeats !== true &&
  (candidate.task.enqueued === undefined ||
    (candidate.task.enqueued.replayOf === null && !gone.has(candidate)));

/**
 * Whether a submission of the inbox is done with: its own task is written, or that which it
 * repeats.
 */
const isMade = ({ taskId, task: { enqueued } }: Candidate, submitted: Submitted): boolean =>
  enqueued !== undefined &&
  (submitted.kind === "created" ||
    (submitted.kind === "replayed" && submitted.taskId === (enqueued.replayOf ?? taskId)));

type Refused = (task: NewTask) => "retired" | "outdated" | null;

/** Whether the version of a task takes none, by the store at the time of the transaction. */
function refusing(
  known:
    | { readonly retired: readonly string[] | null; readonly inactive: readonly string[] | null }
    | undefined,
): Refused {
  const retired = new Set(known?.retired);
  const inactive = new Set(known?.inactive);
  return ({ workflow, takesActive = false }) => {
    if (takesActive) return inactive.has(workflow) ? "outdated" : null;
    return retired.has(workflow) ? "retired" : null;
  };
}

/** Who comes first with a key has it; the others wait for that transaction and then see it. */
async function takeKeys(
  db: Database,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<Candidate>> {
  const keyed = candidates.flatMap(({ taskId, task: { tenant, idempotency } }) =>
    idempotency === null ? [] : [{ taskId, tenant, keepFor: day, ...idempotency }],
  );
  if (keyed.length === 0) return new Set(candidates);
  // Always in the same order, so that two batches with the same keys do not wait for each other.
  const inOrder = keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const names = {
    taskIds: "taskId",
    tenants: "tenant",
    keys: "key",
    hashes: "hash",
    keeps: "keepFor",
  } as const;
  const taken = new Set(
    (await insertSubmissions(db, columns(inOrder, names))).map((row) => row.taskId),
  );
  return new Set(
    candidates.filter(({ task, taskId }) => task.idempotency === null || taken.has(taskId)),
  );
}

async function findEarlier(
  db: Database,
  candidates: readonly Candidate[],
  accepted: ReadonlySet<Candidate>,
): Promise<ReadonlyMap<string, { readonly taskId: string; readonly hash: string }>> {
  const keys = candidates.flatMap((candidate) => {
    const { tenant, idempotency } = candidate.task;
    return accepted.has(candidate) || idempotency === null
      ? []
      : [{ tenant, key: idempotency.key }];
  });
  if (keys.length === 0) return new Map();
  const asked = columns(keys, { tenants: "tenant", keys: "key" });
  const found = await withEnqueuedHashes(db, await findSubmissions(db, asked));
  return new Map(found.map(({ tenant, key, ...rest }) => [`${tenant} ${key}`, rest]));
}

async function storedWorkflows(
  db: Database,
  catalog: WorkflowCatalog,
  accepted: ReadonlySet<Candidate>,
): Promise<ReadonlyMap<string, StoredWorkflow>> {
  const stored = new Map<string, StoredWorkflow>();
  for (const { task } of accepted) {
    if (!stored.has(task.workflow)) stored.set(task.workflow, await catalog.get(db, task.workflow));
  }
  return stored;
}

interface Outcomes {
  readonly accepted: ReadonlySet<Candidate>;
  readonly earlier: ReadonlyMap<string, { readonly taskId: string; readonly hash: string }>;
  readonly refused: Refused;
  readonly holders: ReadonlyMap<string, string>;
  /** Submissions of the inbox that another process has made tasks of, or has refused. */
  readonly gone: ReadonlySet<Candidate>;
}

function toSubmitted(
  candidate: Candidate,
  { accepted, earlier, refused, holders, gone }: Outcomes,
): Submitted {
  const { taskId, task } = candidate;
  if (gone.has(candidate)) return { kind: "replayed", taskId };
  if (accepted.has(candidate)) return { kind: "created", taskId };
  const first = earlier.get(`${task.tenant} ${task.idempotency?.key}`);
  // Also the second of two requests with one idempotency key, of which the first found its business
  // key in use.
  const holder = holders.get(taskId) ?? holders.get(first?.taskId ?? "");
  if (holder !== undefined) return { kind: "held", taskId: holder };
  if (first === undefined) return { kind: refused(task) ?? "conflict" };
  return isSame(first.hash, task.idempotency)
    ? { kind: "replayed", taskId: first.taskId }
    : { kind: "conflict" };
}

/**
 * Whether a stored hash is that of the same request, also if an earlier release stored it: keys
 * outlive an upgrade.
 */
const isSame = (stored: string, asked: NewTask["idempotency"]): boolean =>
  stored === asked?.hash ||
  (!isCurrentHash(stored) && (asked?.earlierHashes?.().includes(stored) ?? false));
