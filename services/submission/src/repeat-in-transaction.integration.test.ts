import { queryOnce } from "@holdfast/local-stack";
import { type SubmittedTask, submitTasks, type TransactionClient } from "@holdfast/state-store";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { inTransaction, openApplication, takeAllIn } from "../test/application.ts";
import { asOperator, input, openTrips, type TripService, trip } from "../test/trips.ts";
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
  await queryOnce(trips.url, "truncate state.inbox, state.refusals, state.business_keys");
});

const takeAll = () =>
  takeAllIn(
    trips.url,
    takeEnqueued({
      store: trips.store,
      directory: workflowDirectory(trips.store),
      hint: () => {},
      log: { warn: () => {}, error: () => {} },
      failpoint: () => {},
      actor: "submission-1",
    }),
  );
const enqueue = async (task: Partial<SubmittedTask>) => {
  const [submitted] = await submitTasks(application, [{ workflow: "trip", input, ...task }]);
  return submitted!;
};
const refusals = () => queryOnce(trips.url, "select code from state.refusals");
const tasks = () =>
  queryOnce<{ id: string; workflow: string }>(
    trips.url,
    "select task_id::text as id, workflow from state.tasks order by task_id",
  );

test("a submission in a transaction that repeats another is its task, whatever has become of its workflow", async () => {
  const asked = { workflow: "trip.v2", input, idempotencyKey: "k", key: "t-7" } as const;
  const { taskId } = await enqueue(asked);
  await takeAll();
  await trips.store.retireWorkflow({ name: "trip.v2", ...asOperator });
  const repeated = { taskId, replayed: true };
  const narrow = { ...asked, workflow: "trip", input: { guest: "Ada" }, idempotencyKey: "n" };
  await inTransaction(trips.url, "shop", async (client) => {
    expect(await submitTasks(client, [asked])).toEqual([repeated]);
    // What repeats nothing is refused, and leaves the transaction and its keys as they were.
    for (const refused of [narrow, { ...narrow, input: "x".repeat(2_000_000) }]) {
      await expect(submitTasks(client, [refused])).rejects.toMatchObject({ code: "task.invalid" });
    }
    expect(await submitTasks(client, [asked])).toEqual([repeated]);
    const better = await submitTasks(client, [{ ...narrow, input, key: "t-8" }]);
    expect(better).toMatchObject([{ replayed: false }]);
  });
  await takeAll();
  expect(await refusals()).toEqual([]);
  await expect(enqueue({ ...asked, idempotencyKey: "another" })).rejects.toMatchObject({
    code: "workflow.retired",
  });
  expect(await tasks()).toMatchObject([{ id: taskId }, { workflow: "trip.v10" }]);
});

test("a submission in a transaction that repeats another is its task, though the active version refuses it by now", async () => {
  const { inputSchema } = trip("trip.v11");
  const stricter = { ...inputSchema, required: [...inputSchema.required, "room"] };
  const properties = { ...inputSchema.properties, room: { type: "string" } };
  const asked = { idempotencyKey: "k" };
  const first = await enqueue(asked);
  await takeAll();
  const changed = trip("trip.v11", { inputSchema: { ...stricter, properties } });
  await trips.store.registerWorkflow(changed as never);
  await trips.store.activateWorkflow({ name: "trip.v11", ...asOperator, asAwaited: false });
  await inTransaction(trips.url, "shop", async (client) => {
    const [again] = await submitTasks(client, [{ workflow: "trip", input, ...asked }]);
    expect(again).toEqual({ ...first, replayed: true });
  });
  await takeAll();
  expect(await refusals()).toEqual([]);
  expect(await tasks()).toHaveLength(1);
});

test("without a transaction, a task that is not to be is refused for what is wrong with it, key or not", async () => {
  const asked = { input: { guest: 7 } };
  for (const task of [asked, { ...asked, idempotencyKey: "alone" }]) {
    await expect(enqueue(task)).rejects.toMatchObject({ code: "task.invalid" });
  }
  expect(await queryOnce(trips.url, "select 1 from state.inbox")).toEqual([]);
});
