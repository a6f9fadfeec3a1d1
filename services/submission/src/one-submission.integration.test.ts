import { submissionQueue } from "@holdfast/contracts";
import { queryOnce } from "@holdfast/local-stack";
import { type Broker, connectBroker } from "@holdfast/messaging";
import { testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { idOf, input, openTrips, type TripService } from "../test/trips.ts";
import { until } from "../test/until.ts";
import { takeTasks } from "./take-tasks.ts";
import { workflowDirectory } from "./workflow-directory.ts";

const resources = new AsyncDisposableStack();
let trips: TripService;
let broker: Broker;
/** Codes of messages that were refused. */
let refused: string[] = [];
let handled = 0;
beforeAll(async () => {
  trips = resources.use(await openTrips());
  const server = resources.use(await testBroker());
  const quiet = { warn: () => {}, error: () => {} };
  const options = { name: "test", topology: "declare", agents: [], log: quiet } as const;
  broker = resources.use(await connectBroker({ url: server.url, ...options }));
  const take = takeTasks({
    store: trips.store,
    directory: workflowDirectory(trips.store),
    workflow: null,
    hint: () => {},
    log: { warn: (fields: unknown) => void refused.push((fields as { code: string }).code) },
    failpoint: () => {},
    actor: "test",
    keepKeysFor: 3_600_000,
    ownsStatusQueue: () => true,
  });
  const how = { prefetch: 10, max: 10 };
  resources.use(
    await broker.consumeBatches(submissionQueue, how, async (batch) => {
      await take(batch);
      handled += batch.length;
    }),
  );
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(async () => {
  await trips.clear();
  refused = [];
});

/** A submission by message with the key `k`; resolves when it was taken or refused. */
async function send(headers: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const before = handled;
  const result = await broker.publish({
    exchange: "",
    routingKey: submissionQueue,
    type: "trip",
    messageId: "k",
    correlationId: "another",
    body: Buffer.from(JSON.stringify(input)),
    headers: { workflow: "trip", ...headers },
  });
  expect(result).toBe("stored");
  await until(async () => handled > before);
}

const key = { "idempotency-key": "k" };
const tasks = () => queryOnce<object>(trips.url, "select from state.tasks");

test("the same key over HTTP, at a collection and by message stands for one task, and for nothing else that was asked", async () => {
  const asked = { priority: "batch", key: "t-7", labels: { b: "2", a: "1" } };
  const headers = { "task-priority": "batch", "task-key": "t-7", "task-labels": "a=1,b=2" };
  const first = await trips.submit(asked, key);
  expect(first.statusCode).toBe(202);
  const again = await trips.post("/v1/trips", input, { ...headers, ...key });
  expect(idOf(again)).toBe(idOf(first));
  expect(again.headers["idempotency-replayed"]).toBe("true");
  await send(headers);
  expect(refused).toEqual([]);
  expect(await tasks()).toHaveLength(1);

  const reused = "request.idempotency_key_reused";
  for (const other of [{ priority: "normal" }, { key: "t-8" }, { labels: { a: "1" } }]) {
    const answer = await trips.submit({ ...asked, ...other }, key);
    expect([answer.statusCode, answer.json()]).toEqual([
      422,
      expect.objectContaining({ code: reused }),
    ]);
  }
  await send({ ...headers, "not-before": "2020-01-01T00:00:00Z" });
  expect(refused).toEqual([reused]);
  expect(await tasks()).toHaveLength(1);
});

test("a key that an earlier release stored stands for its task after an upgrade, over HTTP and by message", async () => {
  const first = idOf(await trips.submit({ priority: "batch" }, key));
  // Of the workflow and the input alone, without a version: as releases before decision 0160 made
  // it.
  await queryOnce(
    trips.url,
    `update state.submissions
        set request_hash = encode(sha256(convert_to('trip' || chr(10) || '{"guest":"Ada","nights":2}', 'UTF8')), 'hex')`,
  );
  expect(idOf(await trips.submit({ priority: "batch" }, key))).toBe(first);
  await send();
  expect(refused).toEqual([]);
  const other = await trips.submit({ input: { ...input, nights: 3 } }, key);
  expect(other.json()).toMatchObject({ code: "request.idempotency_key_reused" });
  expect(await tasks()).toHaveLength(1);
});
