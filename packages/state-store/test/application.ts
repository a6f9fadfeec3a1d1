import { compileTaskInput } from "@holdfast/contracts";
import { Fault, familyOf } from "@holdfast/domain";
import { Client } from "pg";
import type { StateStore } from "../src/roles.ts";
import { readRow } from "../src/submit/inbox.ts";
import { readSubmission } from "../src/submit/read-submission.ts";
import { type SubmittedTask, submitTasks } from "../src/submit/submit-in-transaction.ts";
import type { Submitted } from "../src/submit/submit-tasks.ts";
import { openTestStore, type TestStore, testWorkflow } from "./fixtures.ts";

/**
 * An application for tests that submits tasks by SQL, beside rows of its own in `public.bookings`.
 */
export interface TestApplication extends AsyncDisposable {
  readonly db: TestStore;
  readonly store: StateStore;
  readonly operations: StateStore;
  /** A client with the rights of an application. */
  readonly application: Client;
  /** Deletes all tasks and bookings. */
  clear(): Promise<void>;
  count(table: string): Promise<number | undefined>;
  /** Makes tasks of what is in the inbox. */
  makeTasks(): Promise<readonly Submitted[]>;
  /** Submits a task and inserts its booking in one transaction. */
  book(task: SubmittedTask, guest?: string | null): Promise<{ readonly taskId: string }>;
}

const inputSchema = {
  type: "object",
  properties: { x: { type: "integer" }, y: { type: "array", items: { type: "string" } } },
  required: ["x"],
};
const onlyIf = { equals: [{ $ref: "/input/x" }, 1] } as const;
const trip = (name: string) => ({
  ...testWorkflow([{ name: "a" }, { name: "b" }], name),
  inputSchema,
});
const workflows = [
  { ...trip("trip.v1"), completeWithin: 60_000 },
  trip("trip.v9"),
  { ...trip("trip.v10"), completeWithin: 60_000 },
  testWorkflow([{ name: "a", onlyIf }], "conditional.v1"),
  testWorkflow([{ name: "a" }, { name: "b", onlyIf }, { name: "c", after: [] }], "later.v1"),
  {
    ...testWorkflow([{ name: "a" }], "shared.v1"),
    fairness: { key: "/input/of/0/a~1b", weight: "/input/w" },
  },
];

export async function openTestApplication(): Promise<TestApplication> {
  const db = await openTestStore();
  const [store, operations] = [await db.open("submission"), await db.open("operations")];
  for (const workflow of workflows) await operations.registerWorkflow(workflow);
  await db.query("create table public.bookings (task_id uuid primary key, guest text not null)");
  await db.query("grant insert, select on public.bookings to holdfast_application");
  const application = new Client({ connectionString: db.url });
  application.on("error", () => {});
  await application.connect();
  await application.query("set role holdfast_application");
  return {
    db,
    store,
    operations,
    application,
    async clear() {
      await db.query(
        "truncate state.inbox, state.refusals, state.signal_inbox, state.signal_refusals, state.submissions, state.business_keys, state.task_labels, state.tasks, state.steps, state.events, state.task_payloads, state.outbox, public.bookings",
      );
    },
    makeTasks: () => makeEnqueued(db, store),
    count: async (table) =>
      (await db.query<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n,
    async book(task, guest = "Ada") {
      await application.query("begin");
      try {
        const [submitted] = await submitTasks(application, [task]);
        await application.query("insert into public.bookings values ($1, $2)", [
          submitted!.taskId,
          guest,
        ]);
        await application.query("commit");
        return submitted!;
      } catch (error) {
        await application.query("rollback");
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await application.end();
      await db[Symbol.asyncDispose]();
    },
  };
}

/** What a claim took whose answer was lost is free again, as if its lease had ended. */
async function claimAll(
  db: Pick<TestStore, "query">,
  store: StateStore,
): ReturnType<StateStore["claimEnqueued"]> {
  for (;;) {
    try {
      return await store.claimEnqueued({
        most: 100,
        mostBytes: 1_000_000,
        lease: 60_000,
        mostLeases: 1,
      });
    } catch (error) {
      if (!(error instanceof Fault && error.transient)) throw error;
      await db.query("update state.inbox set leased_until = null");
    }
  }
}

/** Makes tasks of what applications have enqueued, by the rules of the submission service. */
export async function makeEnqueued(
  db: Pick<TestStore, "query">,
  store: StateStore,
): Promise<readonly Submitted[]> {
  const rows = await claimAll(db, store);
  const tasks = [];
  for (const { taskId, replayOf, traceContext, submission, submitter: by } of rows) {
    const asked = readRow(submission);
    const [found] = await db.query<{ name: string }>("select state.name_of_workflow($1) as name", [
      asked.workflow,
    ]);
    const { name } = found!;
    const { definition } = (await store.findWorkflow(name))!;
    const check = compileTaskInput(definition);
    const takesActive = name !== asked.workflow;
    const workflow = { name, family: familyOf(name), definition, check, takesActive };
    tasks.push({
      ...(await readSubmission(asked, workflow)),
      traceContext,
      enqueued: { taskId, replayOf, by },
    });
  }
  return tasks.length === 0 ? [] : store.submitTasks(tasks, { actor: "inbox" });
}
