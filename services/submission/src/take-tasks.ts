import { submissionQueue } from "@holdfast/contracts";
import { traceText } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import {
  type Failpoint,
  inTurns,
  type Logger,
  noTracing,
  processSpan,
  type Span,
  type Tracing,
} from "@holdfast/runtime";
import { familyOf, type NewTask, type StateStore, type Submitted } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import { taskNoun } from "./noun.ts";
import { Problem } from "./problem.ts";
import { deliveryReader } from "./read-delivery.ts";
import { deliveryRefuser, type Refused } from "./refuse-deliveries.ts";
import { keyInUse, keyReused, retired } from "./submit-problems.ts";
import { mostTurns, versionsChange } from "./submit-task.ts";
import type { OpenWorkflow, WorkflowDirectory } from "./workflow-directory.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "submitTasks" | "enqueueRefusals">;
  readonly directory: WorkflowDirectory;
  /** Of messages that name none; null: they must name one. */
  readonly workflow: string | null;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly log: Pick<Logger, "warn">;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** How long a `message_id` stands for its task, in milliseconds. */
  readonly keepKeysFor: number;
  readonly ownsStatusQueue: OwnsStatusQueue;
  /** None unless given. */
  readonly tracing?: Tracing;
}

interface Taken {
  readonly delivery: Delivery;
  readonly task: NewTask;
}

/** A span for each message. */
type Spans = ReadonlyMap<Delivery, Span>;

/**
 * Takes tasks by message instead of HTTP. A message is acknowledged once its task is durable, and a redelivery
 * makes no second task. A message that its workflow refuses, or that has the key of another task, goes to the
 * dead letters, and its submitter is notified.
 */
export function takeTasks(deps: Dependencies) {
  const { directory, hint, tracing = noTracing } = deps;
  const read = deliveryReader(deps);
  const refuse = deliveryRefuser(deps);

  /**
   * Takes these messages. Those without a version are written in the one that is active, by the store at that time: what is
   * known here chooses none, and refuses none.
   */
  const take = async (
    batch: readonly Delivery[],
    { spans, turn }: { readonly spans: Spans; readonly turn: number },
  ): Promise<readonly Refused[]> => {
    const { find, found } = finder(directory);
    const finding = { find, inTurn: inTurns() };
    const all = await Promise.all(
      batch.map(
        (delivery): Promise<Taken | Refused> =>
          read(delivery, finding).then(
            (task) => ({ delivery, task: traced(task, spans.get(delivery)) }),
            (error: unknown) => {
              if (!(error instanceof Problem)) throw error;
              return { delivery, problem: error };
            },
          ),
      ),
    );
    const taken = all.filter((one) => "task" in one);
    const unreadable = all.filter((one) => "problem" in one);
    const submitted = await submit(taken, deps);
    const isUnsure = unreadable.length > 0 && (await anyOutdated(directory, await found()));
    const { refused, outdated } = await judge(submitted, directory);
    const again = [...outdated, ...(isUnsure ? unreadable : [])].map(({ delivery }) => delivery);
    const others = isUnsure ? refused : [...unreadable, ...refused];
    if (again.length === 0) return others;
    if (turn === mostTurns) throw versionsChange(outdated[0]?.task.workflow ?? "a workflow");
    return [...others, ...(await take(again, { spans, turn: turn + 1 }))];
  };

  return async (batch: readonly Delivery[]): Promise<void> => {
    const spans = spansOf(tracing, batch);
    const refused = await take(batch, { spans, turn: 1 });
    await refuse(refused);
    for (const { delivery, problem } of refused)
      spans.get(delivery)?.set({ "error.type": problem.code });
    for (const span of spans.values()) span.end();
    if (refused.length < batch.length) hint();
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
    /** Those that there are. */
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

/** A message without a trace begins one. A batch that fails is delivered again: then its spans are made anew. */
const spansOf = (tracing: Tracing, batch: readonly Delivery[]): Spans =>
  new Map(
    (tracing.isOn ? batch : []).map((delivery) => {
      const received = { ...delivery, queue: submissionQueue, trace: delivery.trace ?? null };
      return [delivery, processSpan(tracing, received)];
    }),
  );

const traced = (task: NewTask, span: Span | undefined): NewTask =>
  span?.context == null ? task : { ...task, traceContext: traceText(span.context) };

interface Written extends Taken {
  readonly submitted: Submitted;
}

/** Stores the tasks. */
async function submit(
  taken: readonly Taken[],
  { store, failpoint, actor }: Dependencies,
): Promise<readonly Written[]> {
  if (taken.length === 0) return [];
  failpoint("submission.accepting");
  const tasks = taken.map(({ task }) => task);
  const submitted = await store.submitTasks(tasks, { actor });
  failpoint("submission.accepted");
  return taken.map((one, index) => ({ ...one, submitted: submitted[index]! }));
}

/** Which messages the state store refused, and which it did not write because another version is active by now. */
async function judge(
  written: readonly Written[],
  directory: Pick<WorkflowDirectory, "reload" | "find" | "isRetired">,
): Promise<{ readonly refused: readonly Refused[]; readonly outdated: readonly Written[] }> {
  const inactive = written.filter(({ submitted }) => submitted.kind === "outdated");
  const closed = new Map<string, Problem>();
  if (inactive.length > 0) await directory.reload();
  for (const family of new Set(inactive.map(({ task }) => familyOf(task.workflow)))) {
    const next = await directory.find(family, () => true);
    if (directory.isRetired(next.name)) closed.set(family, retired(next));
  }
  const refused = written.flatMap(({ delivery, task, submitted }) => {
    const problem =
      submitted.kind === "outdated"
        ? closed.get(familyOf(task.workflow))
        : problemOf(submitted, task);
    return problem == null ? [] : [{ delivery, problem }];
  });
  const outdated = inactive.filter(({ task }) => !closed.has(familyOf(task.workflow)));
  return { refused, outdated };
}

function problemOf(submitted: Submitted, task: NewTask): Problem | null {
  if (submitted.kind === "conflict") return keyReused("message_id", "task");
  if (submitted.kind === "held") return keyInUse(taskNoun, submitted.taskId, "stranger");
  return submitted.kind === "retired" ? retired({ name: task.workflow }) : null;
}
