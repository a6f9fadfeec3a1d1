import { randomUUID } from "node:crypto";
import { type CallDefinition, type TaskEvent, type WorkflowDefinition } from "@holdfast/domain";
import { queryOnce } from "@holdfast/local-stack";
import { type ClaimedStep, openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";

/** A migrated store of a test's own, and tasks in it that stand where the test wants them. */
export interface TestStore extends AsyncDisposable {
  readonly url: string;
  readonly store: StateStore;
  /** One or more statements, as the owner of the database. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  submit(workflow?: string): Promise<string>;
  /** Claims the one step of the task that is due. */
  claim(taskId: string): Promise<ClaimedStep>;
  report(claim: ClaimedStep, changes?: Partial<FailedEvent>): Promise<void>;
  /** Claims and completes the steps that are due, so many times. */
  complete(taskId: string, times: number): Promise<void>;
}

type FailedEvent = Extract<TaskEvent, { kind: "failed" }>;

const policy = {
  startWithin: 30_000,
  completeWithin: 5_000,
  retry: { failures: 3, backoff: 60_000, max: 60_000 },
  coolDown: null,
};

/** Steps that follow one another. The operation has the name of the step. */
export const workflowOf = (
  name: string,
  steps: readonly (Partial<CallDefinition> & { readonly name: string; readonly agent: string })[],
): WorkflowDefinition => ({
  format: 1,
  name,
  inputSchema: {},
  completeWithin: null,
  output: null,
  steps: steps.map((step, index) => ({
    ...policy,
    operation: step.name,
    input: { $ref: "/input" },
    after: index === 0 ? [] : [steps[index - 1]?.name ?? ""],
    onlyIf: null,
    onFailure: "undo",
    undo: { ...policy, operation: `undo${step.name}`, onFailure: "halt" },
    ...step,
  })),
});

export const shopping = workflowOf("shopping.v1", [
  { name: "reserve", agent: "inventory" },
  { name: "charge", agent: "payments" },
]);

export async function openTestStore(): Promise<TestStore> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await migratedDatabase());
  const store = stack.use(
    await openStateStore({ url, applicationName: "test", maxConnections: 2 }),
  );
  await store.registerWorkflow(shopping);
  const query = <Row extends object>(sql: string) => queryOnce<Row>(url, sql);

  const claim = async (taskId: string): Promise<ClaimedStep> => {
    const lanes = await store.findLanes();
    const capacity = lanes.map((lane) => ({ lane, slots: 500 }));
    const claims = await store.claimDueSteps({
      lockedBy: "scheduler-1",
      capacity,
      resendAfter: 60_000,
    });
    const mine = claims.find((one) => one.taskId === taskId);
    if (mine === undefined) throw new Error(`No step of ${taskId} is due`);
    return mine;
  };
  const apply = async (taskId: string, event: TaskEvent): Promise<void> => {
    const { outcomes } = await store.applyEvents([{ taskId, event }], { actor: "scheduler-1" });
    if (!outcomes.every(({ applied }) => applied)) throw new Error(JSON.stringify(outcomes));
  };

  const owned = stack.move();
  return {
    url,
    store,
    query,
    claim,
    async submit(workflow = shopping.name, changes = {}) {
      const order = { tenant: "default", workflow, input: { order: randomUUID() } };
      const noSubmitter = { replyTo: null, correlationId: null, idempotency: null };
      const task = { ...order, ...usualUrgency, ...noSubmitter, ...changes };
      const [submitted] = await store.submitTasks([task], { actor: "test" });
      if (submitted?.kind !== "created") throw new Error("Not submitted");
      return submitted.taskId;
    },
    report: (step, changes) =>
      apply(step.taskId, {
        kind: "failed",
        code: "test.failed",
        transient: true,
        attempted: true,
        effect: "unknown",
        retryAfter: null,
        ...attemptOf(step),
        ...changes,
      }),
    async complete(taskId, times) {
      for (let done = 0; done < times; done += 1) {
        await apply(taskId, { kind: "completed", ...attemptOf(await claim(taskId)) });
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const usualUrgency = { priority: "normal", fairness: null } as const;

const attemptOf = ({ name: step, attempt, token }: ClaimedStep) => ({ step, attempt, token });
