import type { AskedSubmission } from "@holdfast/contracts";
import { familyOf } from "@holdfast/domain";
import type { Failpoint } from "@holdfast/runtime";
import {
  type NewTask,
  readRepeat,
  type SubmissionStore,
  type Submitted,
} from "@holdfast/state-store";
import { Problem } from "./problem.ts";
import {
  keyInUse,
  keyReused,
  type ReadingOptions,
  readSubmissionAt,
  retired,
} from "./submit-problems.ts";
import { mostTurns, versionsChange } from "./submit-task.ts";
import type { OpenWorkflow, WorkflowDirectory } from "./workflow-directory.ts";

interface TaskMakerDependencies {
  readonly store: Pick<SubmissionStore, "submitTasks">;
  readonly directory: Pick<WorkflowDirectory, "find" | "isOutdated" | "isRetired" | "reload">;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** What the idempotency key is called on this way in. */
  readonly key: Parameters<typeof keyReused>[0];
}

/** What a submission is read with. */
export interface Reading {
  readonly find: (asked: string) => Promise<OpenWorkflow>;
  /**
   * Reads it in a version. The submissions of a batch are read in as many turns of the event loop
   * as that takes. What the version refuses may repeat what another one has taken: then it is the
   * question for its task.
   */
  readonly readIn: (
    asked: AskedSubmission,
    workflow: OpenWorkflow,
    how: ReadingOptions & { readonly mayRepeat: boolean },
  ) => Promise<NewTask>;
}

/** A submission that becomes no task, and why. */
export interface RefusedSubmission<From> {
  readonly from: From;
  readonly problem: Problem;
}

interface Read<From> {
  readonly from: From;
  readonly task: NewTask;
  /** Why it is refused unless it repeats what was taken before; null: its version takes it. */
  readonly refusal: Problem | null;
}

interface Written<From> extends Read<From> {
  readonly submitted: Submitted;
}

/**
 * Makes tasks of a batch of submissions, in one transaction, and says which become none. Those
 * without a version are written in the one that is active, by the store at that time: what is known
 * here chooses none, and refuses none. `read` throws a `Problem` for what is no submission of a
 * stored workflow.
 */
export function taskMaker<From>(
  deps: TaskMakerDependencies,
  read: (from: From, reading: Reading) => Promise<NewTask>,
) {
  const { directory } = deps;
  const make = async (
    batch: readonly From[],
    turn: number,
  ): Promise<readonly RefusedSubmission<From>[]> => {
    const { find, found } = finder(directory);
    const readOne = reader(read, find);
    const all = await Promise.all(batch.map(readOne));
    const submitted = await submit(
      all.filter((one) => "task" in one),
      deps,
    );
    const unreadable = [
      ...all.filter((one) => "problem" in one),
      ...submitted.flatMap(({ from, refusal, submitted: { kind } }) =>
        refusal === null || kind === "replayed" ? [] : [{ from, problem: refusal }],
      ),
    ];
    const isUnsure = unreadable.length > 0 && (await anyOutdated(directory, await found()));
    const { refused, outdated } = await judge(
      submitted.filter(({ refusal }) => refusal === null),
      deps,
    );
    const again = [...outdated, ...(isUnsure ? unreadable : [])].map(({ from }) => from);
    const others = isUnsure ? refused : [...unreadable, ...refused];
    if (again.length === 0) return others;
    if (turn === mostTurns) throw versionsChange(outdated[0]?.task.workflow ?? "a workflow");
    return [...others, ...(await make(again, turn + 1))];
  };
  return (batch: readonly From[]): Promise<readonly RefusedSubmission<From>[]> => make(batch, 1);
}

/** Reads the submissions of a batch: as tasks, or with why they are none. */
function reader<From>(
  read: (from: From, reading: Reading) => Promise<NewTask>,
  find: Reading["find"],
) {
  return async (from: From): Promise<Read<From> | RefusedSubmission<From>> => {
    let refusal: Problem | null = null;
    const readIn: Reading["readIn"] = async (asked, workflow, { mayRepeat, ...how }) => {
      try {
        return await readSubmissionAt(asked, workflow, how);
      } catch (error) {
        const repeat = mayRepeat && error instanceof Problem ? readRepeat(asked, workflow) : null;
        if (repeat === null) throw error;
        refusal = error as Problem;
        return repeat;
      }
    };
    try {
      const task = await read(from, { find, readIn });
      return { from, task, refusal };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { from, problem: error };
    }
  };
}

/** Looks for each workflow once. */
function finder(directory: Pick<WorkflowDirectory, "find">) {
  const all = new Map<string, Promise<OpenWorkflow>>();
  return {
    find: (asked: string): Promise<OpenWorkflow> => {
      const workflow = all.get(asked) ?? directory.find(asked, () => true);
      all.set(asked, workflow);
      return workflow;
    },
    /** The workflows that there are. */
    found: async (): Promise<readonly OpenWorkflow[]> =>
      (await Promise.allSettled(all.values())).flatMap((one) =>
        one.status === "fulfilled" ? [one.value] : [],
      ),
  };
}

async function anyOutdated(
  directory: Pick<WorkflowDirectory, "isOutdated">,
  workflows: readonly OpenWorkflow[],
): Promise<boolean> {
  const outdated = await Promise.all(workflows.map((workflow) => directory.isOutdated(workflow)));
  return outdated.includes(true);
}

/** Stores the tasks. */
async function submit<From>(
  taken: readonly Read<From>[],
  { store, failpoint, actor }: TaskMakerDependencies,
): Promise<readonly Written<From>[]> {
  if (taken.length === 0) return [];
  failpoint("submission.accepting");
  const tasks = taken.map(({ task }) => task);
  const submitted = await store.submitTasks(tasks, { actor });
  failpoint("submission.accepted");
  return taken.map((one, index) => ({ ...one, submitted: submitted[index]! }));
}

/**
 * Which submissions the state store refused, and which it did not write because another version is
 * active by now.
 */
async function judge<From>(
  written: readonly Written<From>[],
  { directory, key }: TaskMakerDependencies,
): Promise<{
  readonly refused: readonly RefusedSubmission<From>[];
  readonly outdated: readonly Written<From>[];
}> {
  const inactive = written.filter(({ submitted }) => submitted.kind === "outdated");
  const closed = new Map<string, Problem>();
  if (inactive.length > 0) await directory.reload();
  for (const family of new Set(inactive.map(({ task }) => familyOf(task.workflow)))) {
    const next = await directory.find(family, () => true);
    if (directory.isRetired(next.name)) closed.set(family, retired(next));
  }
  const refused = written.flatMap(({ from, task, submitted }) => {
    const problem =
      submitted.kind === "outdated"
        ? closed.get(familyOf(task.workflow))
        : problemOf(submitted, task, key);
    return problem == null ? [] : [{ from, problem }];
  });
  const outdated = inactive.filter(({ task }) => !closed.has(familyOf(task.workflow)));
  return { refused, outdated };
}

function problemOf(
  submitted: Submitted,
  { workflow, enqueued }: NewTask,
  key: TaskMakerDependencies["key"],
): Problem | null {
  if (submitted.kind === "conflict") return keyReused(key, "task");
  if (submitted.kind === "held") return keyInUse(submitted.taskId, "stranger");
  if (submitted.kind === "retired") return retired({ name: workflow });
  // Its key ran out before its task was made, and was used again.
  const isOthers =
    submitted.kind === "replayed" &&
    enqueued !== undefined &&
    submitted.taskId !== (enqueued.replayOf ?? enqueued.taskId);
  return isOthers ? keyReused(key, "task") : null;
}
