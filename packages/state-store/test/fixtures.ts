import {
  type ApprovalDefinition,
  type CallDefinition,
  Fault,
  formatOf,
  type SignalDefinition,
  type StepDefinition,
  signalsOf,
  type TaskEvent,
  type WaitDefinition,
  type WaitTime,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { migratedDatabase } from "@holdfast/test-servers";
import { Client } from "pg";
import type { ClaimedStep, ClaimOptions } from "../src/claim/claimed-step.ts";
import { openStateStore } from "../src/open-state-store.ts";
import { roles, type StateStore } from "../src/roles.ts";
import type { NewTask } from "../src/submit/new-task.ts";

/** A migrated database of a test's own, dropped on disposal. */
export interface TestStore extends AsyncDisposable {
  readonly url: string;
  /**
   * A store of its own connections, with the rights of one service. `withoutFaults` says why none
   * are injected into it, where they are asked for. `events`: as services have it with EVENTS=on.
   */
  open(role: Role, options?: OpenOptions): Promise<StateStore>;
  /** Deletes all tasks with their history, and the rows of these other tables. */
  clear(...tables: readonly string[]): Promise<void>;
  /** Runs SQL as the owner of the database. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
}

interface OpenOptions {
  readonly withoutFaults?: string;
  readonly events?: boolean;
}

type Role = "submission" | "operations" | "scheduler" | "supervisor";

const taskTables = [
  "tasks",
  "steps",
  "events",
  "task_payloads",
  "step_payloads",
  "task_labels",
  "business_keys",
  "waits",
  "signals",
  "decisions",
  "mailbox",
];

export async function openTestStore(): Promise<TestStore> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await migratedDatabase());
  const url = new URL(database.url);

  const owner = new Client({ connectionString: url.href });
  await owner.connect();
  stack.defer(() => owner.end());
  const ask: TestStore["query"] = async <Row extends object>(sql: string, values: unknown[] = []) =>
    (await owner.query<Row>(sql, values)).rows;
  const owned = stack.move();
  const asRole = (role: Role | "observer") => {
    const own = new URL(url);
    own.searchParams.set("options", `-c role=holdfast_${role}`);
    return { url: own.href, applicationName: `test ${role}`, maxConnections: 8 };
  };
  let observer: Promise<StateStore> | undefined;
  const openObserver = async () => owned.use(await openStateStore(asRole("observer")));
  return {
    url: url.href,
    async open(role, { withoutFaults = "", events = false } = {}) {
      const options = { ...asRole(role), events };
      const faults = process.env["HOLDFAST_STORE_FAULTS"] ?? "";
      if (withoutFaults !== "") process.env["HOLDFAST_STORE_FAULTS"] = "";
      const store = openStateStore(options);
      process.env["HOLDFAST_STORE_FAULTS"] = faults;
      const opened = claimingExactly(owned.use(await store), ask);
      return { ...opened, ...observing(() => (observer ??= openObserver())) };
    },
    async clear(...tables) {
      const names = [...taskTables, ...tables].map((table) => `state.${table}`);
      await ask(`truncate ${names.join()}`);
    },
    query: ask,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * What observers may do, with their rights, whichever service's store a test has: no service may.
 */
function observing(open: () => Promise<StateStore>): Pick<StateStore, keyof typeof roles.observer> {
  const names = Object.keys(roles.observer) as (keyof typeof roles.observer)[];
  type Ask = (...args: unknown[]) => Promise<unknown>;
  const asked = names.map((name) => [
    name,
    async (...args: unknown[]) => ((await open())[name] as Ask)(...args),
  ]);
  return Object.fromEntries(asked);
}

/** A test database that holds these workflows, with a store of each service. */
export async function openTestStores(
  ...workflows: readonly WorkflowDefinition[]
): Promise<Readonly<Record<Role, StateStore>> & { readonly db: TestStore }> {
  const db = await openTestStore();
  const [submission, operations] = [await db.open("submission"), await db.open("operations")];
  for (const workflow of workflows) await operations.registerWorkflow(workflow);
  return {
    db,
    submission,
    operations,
    scheduler: await db.open("scheduler"),
    supervisor: await db.open("supervisor"),
  };
}

const lostClaims = `
  select task_id::text as "taskId", name, lane, coalesce(agent, lane) as agent, workflow, attempt, token::text,
         (extract(epoch from start_by) * 1000)::float8 as "startBy",
         (extract(epoch from steps.complete_by) * 1000)::float8 as "completeBy",
         (extract(epoch from start_by) * 1000 - start_within)::float8 as now,
         key_generation as "keyGeneration", null as "taskInput"
    from state.steps join state.tasks using (task_id)
   where steps.process_state = 'processing' and locked_by = $1 and token::text <> all ($2::text[])`;

/**
 * When the answer to a claim is lost, a Scheduler leaves the steps to the resend. A test that
 * counts them wants them at once: they are what its claimer holds without an answer.
 */
function claimingExactly(store: StateStore, ask: TestStore["query"]): StateStore {
  const told: string[] = [];
  const tell = (claims: readonly ClaimedStep[]) => {
    told.push(...claims.map(({ token }) => token));
    return [...claims];
  };
  const unsent = async ({ lockedBy }: ClaimOptions) =>
    tell(await ask<ClaimedStep>(lostClaims, [lockedBy, told]));

  const claimDueSteps: StateStore["claimDueSteps"] = async (options) => {
    for (;;) {
      try {
        return tell(await store.claimDueSteps(options));
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "store.unavailable") throw error;
        const lost = await unsent(options);
        if (lost.length > 0) return lost;
      }
    }
  };
  const applyEvents: StateStore["applyEvents"] = async (reportedEvents, options) => {
    const applied = await store.applyEvents(reportedEvents, options);
    if (options.claim === undefined) return applied;
    const claims = applied.claims === null ? await unsent(options.claim) : tell(applied.claims);
    return { ...applied, claims };
  };
  return { ...store, claimDueSteps, applyEvents };
}

/** A workflow whose steps follow one another, each with an undo, unless they say otherwise. */
export function testWorkflow(given: readonly TestStep[], name = "test.v1"): WorkflowDefinition {
  const policy = {
    startWithin: 30_000,
    completeWithin: 5_000,
    // What is delayed stays so, however slow the machine is, until a test makes it due.
    retry: { failures: 3, backoff: 600_000, max: 3_600_000 },
    coolDown: null,
  };
  const steps = given.map((step, index): StepDefinition => {
    const after = index === 0 ? [] : [given[index - 1]?.name ?? ""];
    if ("wait" in step) {
      const { wait, ...rest } = step;
      return { kind: "wait", after, onlyIf: null, onFailure: "undo", ...rest, ...wait };
    }
    if ("signal" in step) {
      const ends = { within: 3 * 86_400_000, onDeadline: "fail" } as const;
      return { kind: "signal", after, onlyIf: null, onFailure: "undo", ...ends, ...step };
    }
    if ("audience" in step) return { ...askingPeople, after, ...step };
    return {
      ...policy,
      agent: "agent",
      operation: step.name,
      input: { $ref: "/input" },
      after,
      onlyIf: null,
      onFailure: "undo",
      undo: { ...policy, operation: `undo${step.name}`, onFailure: "halt" },
      ...step,
    };
  });
  const signals = signalsOf({ steps }).map((signal) => [signal, { type: "object" }] as const);
  return {
    format: formatOf(steps),
    name,
    inputSchema: {},
    completeWithin: null,
    output: null,
    steps,
    ...(signals.length === 0 ? {} : { signals: Object.fromEntries(signals) }),
  };
}

/** A step as tests write it down: what differs from the ordinary. */
type TestStep =
  | (Partial<CallDefinition> & { readonly name: string })
  | (Partial<Pick<WaitDefinition, "after" | "onlyIf" | "onFailure">> & {
      readonly name: string;
      readonly wait: WaitTime;
    })
  | (Partial<SignalDefinition> & Pick<SignalDefinition, "name" | "signal">)
  | (Partial<ApprovalDefinition> & Pick<ApprovalDefinition, "name" | "audience">);

const askingPeople = {
  kind: "approval",
  quorum: 1,
  excludesSubmitter: false,
  excludes: [],
  within: 3 * 86_400_000,
  remindAfter: null,
  onDeadline: "reject",
  show: null,
  onlyIf: null,
  onFailure: "undo",
} as const;

export const newTask = (changes: Partial<NewTask> = {}): NewTask => ({
  tenant: "default",
  workflow: "test.v1",
  input: { x: 1 },
  priority: "normal",
  fairness: null,
  replyTo: null,
  correlationId: null,
  idempotency: null,
  ...changes,
});

export const submitMany = (store: StateStore, count: number, changes: Partial<NewTask> = {}) =>
  store.submitTasks(
    Array.from({ length: count }, () => newTask(changes)),
    { actor: "test" },
  );

/** The id of the new task. */
export async function submitOne(
  store: StateStore,
  changes: Partial<NewTask> = {},
): Promise<string> {
  const [submitted] = await submitMany(store, 1, changes);
  if (submitted?.kind !== "created") throw new Error("The task was not created");
  return submitted.taskId;
}

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
  retryAfter: null,
  ...attemptOf(claim),
  ...changes,
});

/** Claims all that is due of the Agent that test workflows use. */
export const claimAll = (store: StateStore, lockedBy = "scheduler-1") =>
  store.claimDueSteps({ lockedBy, capacity: [{ lane: "agent", slots: 500 }], resendAfter: never });

/** Milliseconds after which no test runs any more: one whose subject is a resend makes it due. */
const never = 24 * 60 * 60 * 1_000;
