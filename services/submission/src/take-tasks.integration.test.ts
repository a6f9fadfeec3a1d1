import { randomUUID } from "node:crypto";
import { deadRequestQueue, submissionQueue } from "@holdfast/contracts";
import { queryOnce } from "@holdfast/local-stack";
import { type Broker, connectBroker, userOf } from "@holdfast/messaging";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase, type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { bookTrip, sampleBooking } from "../test/bookings.ts";
import { statusQueueOwners } from "./access/status-queues.ts";
import { takeTasks } from "./take-tasks.ts";
import { workflowDirectory } from "./workflow-directory.ts";

const resources = new AsyncDisposableStack();
let databaseUrl: string;
let store: StateStore;
let server: TestBroker;
let broker: Broker;
let user: string;
let logged: string[] = [];
const days = (count: number) => count * 24 * 60 * 60 * 1_000;
beforeAll(async () => {
  const database = resources.use(await migratedDatabase());
  databaseUrl = database.url;
  store = resources.use(
    await openStateStore({ url: databaseUrl, applicationName: "test", maxConnections: 4 }),
  );
  await store.registerWorkflow(bookTrip);
  server = resources.use(await testBroker());
  user = userOf(server.url);
  const quiet = { warn: () => {}, error: () => {} };
  const options = { name: "test", topology: "declare", agents: [], log: quiet } as const;
  broker = resources.use(await connectBroker({ url: server.url, ...options }));
  const take = takeTasks({
    store,
    directory: workflowDirectory(store),
    workflow: bookTrip.name,
    hint: () => {},
    log: { warn: (...line: readonly unknown[]) => void logged.push(JSON.stringify(line)) },
    failpoint: () => {},
    actor: "test",
    keepKeysFor: days(30),
    ownsStatusQueue: statusQueueOwners(`operations=*,${user}=shop`, new Set()),
  });
  resources.use(await broker.consumeBatches(submissionQueue, { prefetch: 10, max: 10 }, take));
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(async () => {
  logged = [];
  await server.purge(deadRequestQueue);
  await queryOnce(databaseUrl, "truncate state.outbox");
});

const booking = sampleBooking();

interface Properties {
  readonly messageId: string;
  readonly replyTo?: string;
  readonly isAnonymous?: boolean;
  readonly headers?: Readonly<Record<string, string | number>>;
}

async function send(body: string, { isAnonymous = false, ...properties }: Properties) {
  const result = await broker.publish({
    exchange: "",
    routingKey: submissionQueue,
    type: "booking",
    body: Buffer.from(body),
    correlationId: "their-number",
    ...(isAnonymous ? {} : { userId: user }),
    ...properties,
  });
  expect(result).toBe("stored");
}

const query = <Row extends object>(sql: string) => queryOnce<Row>(databaseUrl, sql);
const tasks = async () =>
  (await query<{ n: number }>("select count(*)::int n from state.tasks"))[0]?.n;
const notifications = () =>
  query<{ address: string; body: object }>("select address, body from state.outbox order by id");
const pass = (interval: string) =>
  query(`update state.submissions set expires_at = expires_at - interval '${interval}'`);
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo()));
};
const dead = (count: number) => until(async () => (await server.depth(deadRequestQueue)) === count);

describe("a message that is delivered again", () => {
  test("weeks later makes no second booking, and makes one after its key has expired", async () => {
    const messageId = randomUUID();
    const before = (await tasks()) ?? 0;
    const sendAgain = async () => {
      await send(JSON.stringify(booking), { messageId });
      // One that follows it: by then it has been handled.
      const next = randomUUID();
      await send(JSON.stringify(booking), { messageId: next });
      await until(
        async () =>
          (await query(`select 1 from state.submissions where idempotency_key = '${next}'`))
            .length === 1,
      );
    };
    await sendAgain();
    await pass("29 days");
    await sendAgain();
    expect(await tasks()).toBe(before + 3);
    await pass("2 days");
    await sendAgain();
    expect(await tasks()).toBe(before + 5);
  });
});

test("a message that repeats another is its task, though the version that is active by then refuses it", async () => {
  const { collection: _, inputSchema, ...stay } = bookTrip;
  const { properties } = inputSchema as { readonly properties: object };
  const wider = { ...(inputSchema as object), properties: { ...properties, view: {} } };
  await store.registerWorkflow({ ...stay, inputSchema, name: "book-stay.v1" });
  await store.registerWorkflow({ ...stay, inputSchema: wider, name: "book-stay.v2" });
  const activate = (name: string) =>
    store.activateWorkflow({ name, actor: "ann", reason: "x", asAwaited: false });
  const headers = { workflow: "book-stay" };
  const made = async (messageId: string, content: object) => {
    await send(JSON.stringify(content), { messageId, headers });
    // One that follows it: by then it has been handled.
    const next = randomUUID();
    await send(JSON.stringify(booking), { messageId: next, headers });
    const found = `select 1 from state.submissions where idempotency_key = '${next}'`;
    await until(async () => (await query(found)).length === 1);
  };
  await activate("book-stay.v2");
  const [messageId, before] = [randomUUID(), (await tasks()) ?? 0];
  const asked = { ...booking, view: "sea" };
  await made(messageId, asked);
  await activate("book-stay.v1");
  await made(messageId, asked);
  expect([await tasks(), await server.depth(deadRequestQueue)]).toEqual([before + 3, 0]);
  // What was not taken is refused as before, under whatever key.
  await made(messageId, { ...asked, view: "yard" });
  await made(randomUUID(), asked);
  await dead(2);
  expect(await tasks()).toBe(before + 5);
});

test("a message says the urgency of its task in headers", async () => {
  await query("truncate state.tasks");
  const headers = { "task-priority": "urgent", "fairness-key": "Ada", "fairness-weight": 7 };
  await send(JSON.stringify(booking), { messageId: randomUUID(), headers });
  await until(async () => (await tasks()) === 1);
  expect(await query("select priority, fairness_key, fairness_weight from state.tasks")).toEqual([
    { priority: "urgent", fairness_key: "Ada", fairness_weight: 7 },
  ]);
});

test("a message says key, labels and beginning of its task in headers, and a second with the key is refused", async () => {
  await query("truncate state.tasks, state.business_keys, state.task_labels");
  const headers = {
    "task-key": "b-1",
    "task-labels": "region=eu",
    "not-before": "2020-01-01T00:00:00Z",
  };
  await send(JSON.stringify(booking), { messageId: randomUUID(), headers });
  await until(async () => (await tasks()) === 1);
  const [first] = await query<{ id: string; key: string; labels: object }>(
    "select task_id::text as id, business_key as key, labels from state.tasks",
  );
  expect(first).toMatchObject({ key: "b-1", labels: { region: "eu" } });
  const messageId = randomUUID();
  await send(JSON.stringify(booking), { messageId, replyTo: "status.shop", headers });
  await dead(1);
  expect((await notifications()).map(({ body }) => body)).toMatchObject([
    {
      event: "refused",
      messageId,
      code: "task.key_in_use",
      detail: expect.not.stringContaining(first?.id ?? ""),
    },
  ]);
  expect(await tasks()).toBe(1);
});

describe("a message that is refused", () => {
  const replyTo = "status.shop";

  test.each<[string, string | number, string, string]>([
    ["task-priority", "high", "request.priority_invalid", "urgent, normal or batch"],
    ["task-priority", 5, "request.priority_invalid", "urgent, normal or batch"],
    ["fairness-key", "", "request.fairness_invalid", "1 to 100 characters"],
    ["fairness-weight", 0, "request.fairness_invalid", "1 to 1000"],
    ["task-key", 5, "request.invalid", "/key "],
    ["task-labels", "=x", "request.invalid", "/labels"],
    ["not-before", "soon", "request.invalid", "/notBefore "],
  ])(
    "because of its header %s: %s is dead-lettered with the reason",
    async (name, value, code, allowed) => {
      const headers = { "fairness-key": "Ada", [name]: value };
      await send(JSON.stringify(booking), { messageId: randomUUID(), replyTo, headers });
      await dead(1);
      expect(await notifications()).toMatchObject([
        { body: { event: "refused", code, detail: expect.stringContaining(allowed) } },
      ]);
    },
  );

  const named = (name: string) => ({ ...booking, guest: { ...booking.guest, name } });

  test.each<[string, string, string, readonly string[]]>([
    ["no JSON", `{"guest": {"name": "Ada Lovelace"`, "request.not_json", []],
    [
      "a field that a booking does not have",
      JSON.stringify({ ...booking, x: 1 }),
      "task.invalid",
      ["/x"],
    ],
    [
      "a prototype as a key",
      `{"__proto__":{"admin":true},${JSON.stringify(booking).slice(1)}`,
      "task.invalid",
      ["/__proto__"],
    ],
    ["a wrong total", JSON.stringify({ ...booking, total: "1" }), "task.invalid", ["/total"]],
    ["a NUL", JSON.stringify(named("Ada\u0000")), "task.invalid", ["/guest/name"]],
  ])(
    "because of %s is dead-lettered, and its submitter gets the reason",
    async (_, body, code, pointers) => {
      const messageId = randomUUID();
      const before = await tasks();
      await send(body, { messageId, replyTo });
      await dead(1);
      expect(await notifications()).toEqual([
        {
          address: replyTo,
          body: {
            event: "refused",
            messageId,
            correlationId: "their-number",
            code,
            detail: expect.any(String),
            errors: pointers.map((pointer) => ({ pointer, detail: expect.any(String) })),
          },
        },
      ]);
      expect(await tasks()).toBe(before);
      expect(logged).toEqual([expect.stringContaining(code)]);
      expect(logged.join()).not.toMatch(/Ada|Lovelace/);
    },
  );

  test("because its key belongs to another booking says so, and the others of its batch are accepted", async () => {
    const messageId = randomUUID();
    const before = (await tasks()) ?? 0;
    await send(JSON.stringify(booking), { messageId });
    await send(JSON.stringify(sampleBooking(9)), { messageId, replyTo });
    await send(JSON.stringify(booking), { messageId: randomUUID() });
    await dead(1);
    await until(async () => (await tasks()) === before + 2);
    expect((await notifications()).map(({ body }) => body)).toMatchObject([
      { event: "refused", messageId, code: "request.idempotency_key_reused" },
    ]);
  });

  test.each([
    ["of another application", { replyTo: "status.billing" }, "no status queue of the broker user"],
    ["without saying who it is", { replyTo, isAnonymous: true }, "names no user_id"],
  ])("because it names a status queue %s writes nothing there", async (_, properties, words) => {
    const before = await tasks();
    for (const body of [JSON.stringify(booking), "{}"]) {
      await send(body, { messageId: randomUUID(), ...properties });
    }
    await dead(2);
    expect(await notifications()).toEqual([]);
    expect(await tasks()).toBe(before);
    expect(logged).toEqual([expect.stringContaining(words), expect.stringContaining(words)]);
  });

  test("sends no notification if it names no submitter's queue", async () => {
    await send("{}", { messageId: randomUUID(), replyTo: "scheduler.wake" });
    await send("{}", { messageId: randomUUID() });
    await dead(2);
    expect(await notifications()).toEqual([]);
  });
});

test("a message that names no version becomes a task of the new one, whatever this process has read before", async () => {
  const headers = { workflow: bookTrip.name.replace(/\.v\d+$/, "") };
  const versions = () =>
    query<{ workflow: string }>(
      "select workflow from state.tasks order by created_at desc limit 1",
    );
  const before = (await tasks()) ?? 0;
  await send(JSON.stringify(booking), { messageId: randomUUID(), headers });
  await until(async () => (await tasks()) === before + 1);
  expect(await versions()).toEqual([{ workflow: bookTrip.name }]);

  // By another process: this one learns nothing of it.
  await using other = await openStateStore({
    url: databaseUrl,
    applicationName: "operations",
    maxConnections: 1,
  });
  const newest = bookTrip.name.replace(/\d+$/, (number) => String(Number(number) + 1));
  // Its input is what the version before refuses.
  const { properties, ...schema } = bookTrip.inputSchema as { readonly properties: object };
  const inputSchema = { ...schema, properties: { ...properties, seats: { type: "integer" } } };
  await other.registerWorkflow({ ...bookTrip, name: newest, inputSchema });
  const asOperator = { actor: "operator:ann", reason: "a new version" };
  await other.activateWorkflow({ ...asOperator, name: newest, asAwaited: false });
  await other.retireWorkflow({ ...asOperator, name: bookTrip.name });
  await send(JSON.stringify({ ...booking, seats: 2 }), { messageId: randomUUID(), headers });
  await until(async () => (await tasks()) === before + 2);
  expect(await versions()).toEqual([{ workflow: newest }]);

  // By its full name, the retired one is refused.
  const named = { workflow: bookTrip.name };
  await send(JSON.stringify(booking), { messageId: randomUUID(), headers: named });
  await dead(1);
  expect(await tasks()).toBe(before + 2);
});
