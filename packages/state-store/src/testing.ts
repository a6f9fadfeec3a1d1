import type { StepDefinition, TaskEvent, WorkflowDefinition } from "@holdfast/domain";
import { testDatabase } from "@holdfast/local-stack";
import { Client } from "pg";
import type { ClaimedStep } from "./claimed-steps.ts";
import { migrate } from "./migrate.ts";
import { openStateStore, type StateStore } from "./open-state-store.ts";
import type { NewTask } from "./submit-tasks.ts";

/** For tests: a migrated database of one's own, dropped on disposal. */
export interface TestStore extends AsyncDisposable {
  readonly url: string;
  /** A store of its own connections, with the rights of one service. */
  open(role: "submission" | "scheduler" | "supervisor"): Promise<StateStore>;
  /** As the owner of the database. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
}

export async function openTestStore(): Promise<TestStore> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const url = new URL(database.url);
  await migrate(url.href);

  const owner = new Client({ connectionString: url.href });
  await owner.connect();
  stack.defer(() => owner.end());
  const owned = stack.move();
  return {
    url: url.href,
    async open(role) {
      const asRole = new URL(url);
      asRole.searchParams.set("options", `-c role=holdfast_${role}`);
      const options = { url: asRole.href, applicationName: `test ${role}`, maxConnections: 8 };
      const store = await openStateStore(options);
      owned.use(store);
      return store;
    },
    query: async <Row extends object>(sql: string, values: unknown[] = []) =>
      (await owner.query<Row>(sql, values)).rows,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A workflow whose steps follow one another, each with an undo, unless they say otherwise. */
export function testWorkflow(
  steps: readonly (Partial<StepDefinition> & { readonly name: string })[],
  name = "test.v1",
): WorkflowDefinition {
  const policy = {
    startWithin: 30_000,
    completeWithin: 5_000,
    retry: { failures: 3, backoff: 1_000, max: 60_000 },
    coolDown: null,
  };
  return {
    format: 1,
    name,
    inputSchema: {},
    completeWithin: null,
    output: null,
    steps: steps.map((step, index) => ({
      ...policy,
      agent: "agent",
      operation: step.name,
      input: { $ref: "/input" },
      after: index === 0 ? [] : [steps[index - 1]?.name ?? ""],
      onlyIf: null,
      onFailure: "compensate",
      undo: { ...policy, operation: `undo-${step.name}`, onFailure: "halt" },
      ...step,
    })),
  };
}

export const newTask = (changes: Partial<NewTask> = {}): NewTask => ({
  tenant: "default",
  workflow: "test.v1",
  input: { x: 1 },
  priority: 0,
  replyTo: null,
  correlationId: null,
  idempotency: null,
  order: null,
  ...changes,
});

export const attemptOf = ({ name: step, attempt, token }: ClaimedStep) => ({
  step,
  attempt,
  token,
});

export const completed = (claim: ClaimedStep): TaskEvent => ({
  kind: "completed",
  ...attemptOf(claim),
});

export const failed = (
  claim: ClaimedStep,
  changes: Partial<Extract<TaskEvent, { kind: "failed" }>> = {},
): TaskEvent => ({
  kind: "failed",
  code: "test.failed",
  transient: true,
  attempted: true,
  effect: "unknown",
  notBefore: null,
  ...attemptOf(claim),
  ...changes,
});

/** Claims all that is due of the Agent that test workflows use. */
export const claimAll = (store: StateStore, lockedBy = "scheduler-1") =>
  store.claimDueSteps({ lockedBy, room: [{ lane: "agent", places: 500 }], relayAfter: 300 });
