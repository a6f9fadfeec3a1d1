import { TaskRefused } from "@holdfast/contracts";
import { Fault } from "@holdfast/domain";
import { queryOnce } from "@holdfast/local-stack";
import { type SubmittedTask, submitTasks, type TransactionClient } from "@holdfast/state-store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { endLeasesIn, openApplication, takeAllIn } from "../test/application.ts";
import { finishTask } from "../test/finish-task.ts";
import { asOperator, idOf, input, openTrips, type TripService, trip } from "../test/trips.ts";
import { takeEnqueued } from "./take-enqueued.ts";
import { workflowDirectory } from "./workflow-directory.ts";

const resources = new AsyncDisposableStack();
let trips: TripService;
let application: TransactionClient;
beforeAll(async () => {
  trips = resources.use(await openTrips());
  application = await openApplication(trips.url, "shop");
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(async () => {
  await trips.clear();
  await query("truncate state.inbox, state.refusals, state.business_keys, state.outbox");
  crashAt = null;
});

const query = <Row extends object>(sql: string) => queryOnce<Row>(trips.url, sql);

/** The gap at which the next process ends that comes to it. */
let crashAt: string | null = null;
/** A process of submission, of which each call is one look. */
const process = (store = trips.store, directory = workflowDirectory(trips.store)) =>
  takeEnqueued({
    store,
    directory,
    hint: () => {},
    log: { warn: () => {}, error: () => {} },
    failpoint: (gap) => {
      if (crashAt !== gap) return;
      crashAt = null;
      throw new Error("This process has crashed");
    },
    actor: "submission-1",
  });
const endLeases = () => endLeasesIn(trips.url);
const takeAll = (take = process()) => takeAllIn(trips.url, take);

/** Looks until it meets the fault of ours. */
async function failing(take: () => Promise<boolean>): Promise<void> {
  const error = await retried(() =>
    take().then(
      () => null,
      (failure: unknown) => {
        if (failure instanceof TypeError) return failure;
        throw failure;
      },
    ),
  );
  expect(error).toMatchObject({ message: "a bug" });
}

/** Repeats what only asks, where a connection broke. */
async function retried<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Fault && error.transient)) throw error;
      await endLeases();
    }
  }
}

const enqueue = async (task: Partial<SubmittedTask> = {}) => {
  const [submitted] = await submitTasks(application, [{ workflow: "trip", input, ...task }]);
  return submitted!;
};
/** Enqueues as SQL alone does, unchecked. */
const enqueueUnchecked = async (submission: object, by = application): Promise<string> => {
  const { rows } = await by.query("select state.enqueue_submission($1::jsonb)::text as id", [
    JSON.stringify({ workflow: "trip", input, ...submission }),
  ]);
  return (rows[0] as { readonly id: string }).id;
};
const refusals = async (by = application) =>
  (await by.query("select task_id::text as id, code, errors from state.refused_submissions", []))
    .rows;
const tasks = () =>
  query<{ id: string; workflow: string }>(
    "select task_id::text as id, workflow from state.tasks order by task_id",
  );
const shown = async (id: string) => (await trips.get(`/v1/tasks/${id}`)).json<object>();

test("a submission is known by its id from the commit on, and its task has that id", async () => {
  const { taskId } = await enqueue({ labels: { city: "Lyon" }, priority: "urgent" });
  const waiting = { id: taskId, workflow: "trip.v10", state: "pending", priority: "urgent" };
  expect(await shown(taskId)).toMatchObject({ ...waiting, input, steps: [], version: 0 });
  expect((await trips.get(`/v1/tasks/${taskId}/result`)).statusCode).toBe(202);
  await takeAll();
  expect(await shown(taskId)).toMatchObject({ ...waiting, labels: { city: "Lyon" }, version: 1 });
  expect(await query("select from state.inbox")).toEqual([]);
  await finishTask(trips.url, taskId);
  expect((await trips.get(`/v1/tasks/${taskId}/result`)).statusCode).toBe(200);
});

test.each(["submission.accepting", "submission.accepted"])(
  "of a process that crashes at %s another one makes one task of each submission",
  async (gap) => {
    const ids = [(await enqueue()).taskId, (await enqueue({ key: "t-7" })).taskId];
    crashAt = gap;
    await expect(process()()).rejects.toThrow("crashed");
    // Its lease has ended.
    await endLeases();
    await takeAll();
    expect((await tasks()).map(({ id }) => id)).toEqual(ids);
  },
);

test("processes share the inbox, and make one task of each submission", async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => enqueueUnchecked({ key: undefined })),
  );
  await Promise.all([process(), process(), process()].map((take) => takeAll(take)));
  // Rows may be left: one process may have taken what another one has to wait for.
  await takeAll();
  expect((await tasks()).map(({ id }) => id)).toEqual(ids.toSorted());
});

test("two processes that take the same submission, because a lease ended early, make one task of it", async () => {
  const { taskId } = await enqueue();
  const [row] = await query<{ submission: string }>(
    "select submission::text as submission from state.inbox",
  );
  const same = {
    taskId,
    submission: row!.submission,
    replayOf: null,
    traceContext: null,
    submitter: "shop",
    application: null,
    claims: 1,
  };
  const withSame = () => {
    const rows = [same];
    return process({ ...trips.store, claimEnqueued: async () => rows.splice(0) });
  };
  await Promise.all([takeAll(withSame()), takeAll(withSame())]);
  await takeAll(withSame());
  expect(await tasks()).toEqual([{ id: taskId, workflow: "trip.v10" }]);
  expect(await refusals()).toEqual([]);
});

describe("the same key over HTTP and in a transaction", () => {
  const key = { "idempotency-key": "k" };
  const asked = { priority: "batch", key: "t-7", labels: { a: "1" } } as const;
  const reused = "request.idempotency_key_reused";

  test("stands for one task that came over HTTP, and for nothing else", async () => {
    const first = idOf(await trips.submit(asked, key));
    expect(await enqueue({ ...asked, idempotencyKey: "k" })).toEqual({
      taskId: first,
      replayed: true,
    });
    await takeAll();
    expect(await refusals()).toEqual([]);
    await enqueue({ ...asked, priority: "normal", idempotencyKey: "k" });
    await takeAll();
    expect(await refusals()).toMatchObject([{ code: reused }]);
    expect(await tasks()).toHaveLength(1);
  });

  test("stands for one task that came in a transaction, also before that is made", async () => {
    const { taskId } = await enqueue({ ...asked, idempotencyKey: "k" });
    const again = await trips.submit(asked, key);
    expect([again.statusCode, idOf(again)]).toEqual([202, taskId]);
    const other = await trips.submit({ ...asked, labels: { a: "2" } }, key);
    expect(other.json()).toMatchObject({ code: reused });
    await takeAll();
    expect(idOf(await trips.submit(asked, key))).toBe(taskId);
    expect((await tasks()).map(({ id }) => id)).toEqual([taskId]);
  });
});

test("a submission that repeats another is its task, though the version that is active by then refuses it", async () => {
  const { inputSchema } = trip("trip.v11");
  const properties = { ...inputSchema.properties, room: { type: "string" } };
  const wider = trip("trip.v11", { inputSchema: { ...inputSchema, properties } });
  await trips.store.registerWorkflow(wider as never);
  const activate = (name: string) =>
    trips.store.activateWorkflow({ name, ...asOperator, asAwaited: false });
  await activate("trip.v11");
  const asked = { input: { ...input, room: "12" }, idempotencyKey: "k" };
  const { taskId } = await enqueue(asked);
  await takeAll();
  await activate("trip.v10");
  expect(await enqueueUnchecked(asked)).toBe(taskId);
  await takeAll();
  expect(await refusals()).toEqual([]);
  // What was not taken is refused as before, under whatever key.
  await enqueueUnchecked({ ...asked, input: { ...input, room: "13" } });
  await enqueueUnchecked({ ...asked, idempotencyKey: "another" });
  await takeAll();
  expect(await refusals()).toMatchObject([{ code: "task.invalid" }, { code: "task.invalid" }]);
  expect((await tasks()).map(({ id }) => id)).toEqual([taskId]);
});

test("a submission that is refused says so to its application: in a row, in its queue and by its id", async () => {
  const other = await openApplication(trips.url, "billing");
  const asked = {
    input: { guest: "Ada" },
    replyTo: "status.shop",
    idempotencyKey: "k",
    key: "t-7",
  };
  const id = await enqueueUnchecked(asked);
  await enqueueUnchecked({ priority: "high" }, other);
  await takeAll();
  const errors = [{ pointer: "/nights", detail: "is missing" }];
  expect(await refusals()).toEqual([{ id, code: "task.invalid", errors }]);
  expect(await refusals(other)).toMatchObject([{ code: "request.priority_invalid" }]);
  const [{ address, body } = { address: "", body: "" }, ...rest] = await query<{
    address: string;
    body: object;
  }>("select address, body from state.outbox");
  expect([address, rest]).toEqual(["status.shop", []]);
  expect(TaskRefused.decode(Buffer.from(JSON.stringify(body)))).toMatchObject({
    taskId: id,
    messageId: "k",
    code: "task.invalid",
    errors,
  });
  const answer = await trips.get(`/v1/tasks/${id}`);
  expect([answer.statusCode, answer.json()]).toMatchObject([
    404,
    { code: "task.submission_refused", detail: expect.stringContaining("task.invalid") },
  ]);
  // Its keys are free.
  const better = await enqueue({ key: "t-7", idempotencyKey: "k" });
  expect(better.replayed).toBe(false);
  await takeAll();
  expect((await tasks()).map((task) => task.id)).toEqual([better.taskId]);
});

test.each<[string, object, string]>([
  ["a field that there is not", { colour: "red" }, "request.invalid"],
  ["labels that are a list", { labels: ["a"] }, "request.invalid"],
  ["a queue of ours", { replyTo: "scheduler.wake" }, "request.reply_to_invalid"],
  [
    "a long idempotency key",
    { idempotencyKey: "x".repeat(5_000) },
    "request.idempotency_key_invalid",
  ],
  ["a long business key", { key: "x".repeat(5_000) }, "request.invalid"],
  ["a key that is a number", { key: 7 }, "request.invalid"],
  [
    "an input that is too deep",
    { input: JSON.parse("[".repeat(60) + "]".repeat(60)) },
    "task.invalid",
  ],
])(
  "%s is refused as over the other ways, and what came with it is made",
  async (_, asked, code) => {
    await enqueueUnchecked(asked);
    const good = await enqueueUnchecked({});
    await takeAll();
    expect(await refusals()).toMatchObject([{ code }]);
    expect((await tasks()).map(({ id }) => id)).toEqual([good]);
  },
);

test("a business key is taken when a submission is enqueued", async () => {
  const { taskId } = await enqueue({ key: "t-7" });
  await expect(enqueue({ key: "t-7" })).rejects.toMatchObject({
    code: "task.key_in_use",
    details: { taskId },
  });
  expect((await trips.submit({ key: "t-7" })).json()).toMatchObject({ code: "task.key_in_use" });
  await takeAll();
  expect(await tasks()).toHaveLength(1);
});

test("a version that is activated before a task is made is the version of the task", async () => {
  await enqueue();
  await trips.store.activateWorkflow({ name: "trip.v2", ...asOperator, asAwaited: false });
  await takeAll();
  expect(await tasks()).toMatchObject([{ workflow: "trip.v2" }]);
});

test("a version that is not stored stands for the active one in a transaction, too, where the service says so", async () => {
  const me = {
    service: "submission",
    instance: "submission-1",
    version: "1",
    slots: null,
  } as const;
  const takesUnknownVersions = true;
  const enqueueAll = async () => [
    (await enqueue({ workflow: "trip.v77" })).taskId,
    await enqueueUnchecked({ workflow: "trip.v77" }),
  ];
  await trips.store.recordInstance({ ...me, takesEnqueued: true });
  await expect(enqueueAll()).rejects.toMatchObject({ code: "workflow.unknown" });
  await trips.store.recordInstance({ ...me, takesEnqueued: true, takesUnknownVersions });
  await expect(enqueueUnchecked({ workflow: "journey.v1" })).rejects.toThrow("workflow.unknown");
  const ids = await enqueueAll();
  await takeAll(process(trips.store, workflowDirectory(trips.store, { takesUnknownVersions })));
  expect(await tasks()).toEqual(ids.toSorted().map((id) => ({ id, workflow: "trip.v10" })));
  await query("truncate state.instances");
});

test("a submission whose workflow is retired before its task is made is refused", async () => {
  const id = await enqueueUnchecked({ workflow: "trip.v2" });
  await trips.store.retireWorkflow({ name: "trip.v2", ...asOperator });
  await takeAll();
  expect(await refusals()).toMatchObject([{ id, code: "workflow.retired" }]);
});

test("callers of the function before get the id of a task that is made by the same rules", async () => {
  const { rows } = await application.query(
    `select task_id::text as id, replayed
       from state.submit_task('trip', '{"guest": "Ada", "nights": 2}', idempotency_key => 'k', priority => 'urgent',
                              fairness_key => 'ann', labels => '{"a": "1"}', business_key => 't-7',
                              not_before => clock_timestamp() + interval '1 hour')`,
    [],
  );
  await takeAll();
  const [{ id } = { id: "" }] = await tasks();
  expect(rows).toEqual([{ id, replayed: false }]);
  expect(await shown(id)).toMatchObject({
    priority: "urgent",
    fairness: { key: "ann", weight: 1 },
    key: "t-7",
    labels: { a: "1" },
    notBefore: expect.any(String),
  });
});

test("what fails whenever it is made holds none of the others back, neither those with it nor those behind", async () => {
  const broken = await enqueueUnchecked({ input: { guest: "Bob", nights: 1 } });
  const good = [(await enqueue()).taskId, (await enqueue()).taskId];
  const store = {
    ...trips.store,
    // As a fault of ours would, which no Fault says.
    submitTasks: async (...[made, options]: Parameters<typeof trips.store.submitTasks>) => {
      if (made.some(({ enqueued }) => enqueued?.taskId === broken)) throw new TypeError("a bug");
      return trips.store.submitTasks(made, options);
    },
  };
  await failing(process(store));
  await endLeases();
  good.push((await enqueue()).taskId);
  await failing(process(store));
  expect((await tasks()).map(({ id }) => id)).toEqual(good);
  // It rests for longer each time.
  const [row] = await query<{ claims: number; long: boolean }>(
    "select claims, leased_until > clock_timestamp() + interval '20 s' as long from state.inbox",
  );
  expect(row).toEqual({ claims: expect.any(Number), long: true });
  expect(row!.claims).toBeGreaterThanOrEqual(2);
  await endLeases();
  await takeAll();
  expect((await tasks()).map(({ id }) => id).toSorted()).toEqual([broken, ...good].toSorted());
});

test("callers take turns, and what is taken has a budget of bytes", async () => {
  const many = await openApplication(trips.url, "many");
  for (let count = 0; count < 6; count += 1) await enqueueUnchecked({}, many);
  const own = [await enqueueUnchecked({}), await enqueueUnchecked({})];
  const asked = { lease: 60_000, mostLeases: 1, mostBytes: 1_000_000 };
  const first = await retried(() => trips.store.claimEnqueued({ ...asked, most: 4 }));
  expect(first.map(({ submitter }) => submitter).toSorted()).toEqual([
    "many",
    "many",
    "shop",
    "shop",
  ]);
  expect(first.flatMap(({ taskId, submitter }) => (submitter === "shop" ? [taskId] : []))).toEqual(
    own,
  );
  // One that is larger than the budget is taken alone.
  const second = await retried(() =>
    trips.store.claimEnqueued({ ...asked, most: 200, mostBytes: 1 }),
  );
  expect(second).toHaveLength(1);
});

test("a submission whose lease was given before the clock was set back is taken at once", async () => {
  const { taskId } = await enqueue();
  await query(
    "update state.inbox set claims = 1, leased_until = clock_timestamp() + interval '1 hour'",
  );
  await takeAll();
  expect((await tasks()).map(({ id }) => id)).toEqual([taskId]);
});

test("a submission that is enqueued again under its id after it was refused stays refused, and stops none", async () => {
  const under = async (id: string) => {
    const sql = "select state.enqueue_submission($1::jsonb, $2)::text as id";
    const { rows } = await application.query(sql, [
      JSON.stringify({ workflow: "trip", input: { guest: "Ada" } }),
      id,
    ]);
    return (rows[0] as { readonly id: string }).id;
  };
  const { rows } = await application.query("select state.new_task_id()::text as id", []);
  const { id } = rows[0] as { readonly id: string };
  await under(id);
  await takeAll();
  expect(await under(id)).toBe(id);
  expect(await query("select from state.inbox")).toEqual([]);
  // As if both had been written at a time.
  await query(
    `insert into state.inbox (task_id, submission, bytes, workflow) values ('${id}', '{"workflow": "trip"}', 2, 'trip.v10')`,
  );
  const other = await enqueueUnchecked({ priority: "high" });
  await takeAll();
  expect((await refusals()).map((one) => (one as { id: string }).id).toSorted()).toEqual(
    [id, other].toSorted(),
  );
});

test("two transactions that enqueue under one id at a time are one submission", async () => {
  const { rows } = await application.query("select state.new_task_id()::text as id", []);
  const { id } = rows[0] as { readonly id: string };
  const sql = "select state.enqueue_submission($1::jsonb, $2)::text as id";
  const asked = JSON.stringify({ workflow: "trip", input, key: "t-7" });
  await Promise.all(Array.from({ length: 4 }, () => application.query(sql, [asked, id])));
  await takeAll();
  expect(await tasks()).toMatchObject([{ id }]);
  expect(await refusals()).toEqual([]);
});

test("a number that no JavaScript number holds is refused, as over the other ways", async () => {
  await application.query(
    `select state.enqueue_submission('{"workflow": "trip", "input": {"guest": "Ada", "nights": 1e400}}')`,
    [],
  );
  await takeAll();
  expect(await refusals()).toMatchObject([{ code: "task.invalid" }]);
});

test("the history of a task names the login and the application that enqueued it, to operators only", async () => {
  const { taskId } = await enqueue();
  const url = new URL(trips.url);
  [url.username, url.password] = ["shop", "x"];
  url.searchParams.set("application_name", "till 7");
  const [named] = await queryOnce<{ id: string }>(
    url.href,
    `select state.enqueue_submission('{"workflow": "trip", "input": {"guest": "Ada", "nights": 2}}')::text as id`,
  );
  await takeAll();
  const { body: first } = await trips.get(`/v1/tasks/${taskId}/history`);
  expect(JSON.parse(first)).toMatchObject({
    items: [{ action: "submit", actor: expect.stringMatching(/^application:shop( \(.*\))?$/) }],
  });
  const path = `/v1/tasks/${named!.id}/history`;
  const actors = async (headers?: Record<string, string>) => {
    const found = await trips.get(path, headers);
    return found.json<{ items: { actor: string }[] }>().items.map(({ actor }) => actor);
  };
  expect(await actors()).toEqual(["application:shop (till 7)"]);
  expect(await actors({})).toEqual(["application"]);
});

test("an id is what the store made today, and enqueued again under it nothing changes", async () => {
  const under = (id: string) =>
    application.query("select state.enqueue_submission($1::jsonb, $2)", [
      JSON.stringify({ workflow: "trip", input }),
      id,
    ]);
  await expect(under("00000000-0000-4000-8000-000000000000")).rejects.toThrow("new_task_id");
  const { taskId } = await enqueue();
  await under(taskId);
  await takeAll();
  await under(taskId);
  await takeAll();
  expect(await tasks()).toHaveLength(1);
});
