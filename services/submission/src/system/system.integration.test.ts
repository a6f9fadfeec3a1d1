import { queryOnce } from "@holdfast/local-stack";
import { connectBroker } from "@holdfast/messaging";
import { parseConfig, redacted } from "@holdfast/runtime";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { operationsUrl } from "../../test/operations-url.ts";
import { serve } from "../../test/serve.ts";
import { authorization, openTrips, type TripService, token } from "../../test/trips.ts";
import { SubmissionConfig } from "../config.ts";
import { findQueues } from "./find-queues.ts";

let trips: TripService;
let broker: TestBroker;
let store: StateStore;
const resources = new AsyncDisposableStack();
const managementUrl = process.env["TEST_BROKER_MANAGEMENT_URL"] ?? null;
beforeAll(async () => {
  trips = resources.use(await openTrips());
  await trips.clear();
  broker = resources.use(await testBroker());
  const url = await operationsUrl(trips.url, resources);
  store = resources.use(await openStateStore({ url, applicationName: "test", maxConnections: 2 }));
  const log = { warn: () => {}, error: () => {} };
  const options = { name: "test", topology: "declare", agents: ["hotels"], log } as const;
  resources.use(await connectBroker({ url: broker.url, ...options }));
});
afterAll(() => resources.disposeAsync());

const systemOf = async (options: Parameters<typeof serve>[1]) => {
  await using app = serve(store, { token, ...options });
  return await app.inject({ url: "/v1/system", headers: { authorization } });
};

test("the system has its living processes, its queues, its outbox and its months", async () => {
  await trips.submit();
  for (const service of ["scheduler", "supervisor", "submission"] as const) {
    const slots = service === "scheduler" ? 200 : null;
    const instance = `${service}-1`;
    await trips.store.recordInstance({ service, instance, version: "1.0.0", slots });
  }
  await queryOnce(
    trips.url,
    `insert into state.instances values ('scheduler', 'gone', '1', 1, now(), now() - interval '1 hour');
     insert into state.outbox (subject, channel, seq, body) values ('x', 'alert', 1, '{}')`,
  );
  const queues = () => findQueues({ managementUrl, brokerUrl: broker.url });
  const response = await systemOf({ queues });
  expect(response.statusCode).toBe(200);
  const system = response.json();
  const seenAt = expect.any(String);
  expect(system).toMatchObject({
    version: expect.any(String),
    schedulers: [{ instance: "scheduler-1", version: "1.0.0", slots: 200, seenAt }],
    supervisors: [{ instance: "supervisor-1", slots: null }],
    submissions: [{ instance: "submission-1" }],
    outbox: { waiting: 1, oldestMs: expect.any(Number) },
  });
  const month = new Date().toISOString().slice(0, 7);
  const now = system.partitions.find(
    ({ name }: { name: string }) => name === month.replace("-", "_"),
  );
  expect(now).toMatchObject({ from: `${month}-01T00:00:00.000Z`, rows: expect.any(Number) });
  expect(now.bytes).toBeGreaterThan(8_192);
  if (managementUrl === null) expect(system.queues).toBeNull();
  else {
    const hotels = system.queues.find(({ name }: { name: string }) => name === "agent.hotels");
    expect(Object.keys(hotels)).toEqual(["name", "ready", "unacked", "consumers", "state"]);
  }
});

test.each([
  ["without its URL", null, /set BROKER_MANAGEMENT_URL/],
  ["that does not answer", "http://ada:planted@127.0.0.1:9", /does not answer/],
])(
  "RabbitMQ's HTTP API %s leaves the queues unknown, with a sentence and without its password",
  async (_, asked, words) => {
    const queues = () => findQueues({ managementUrl: asked, brokerUrl: broker.url });
    const { queues: found, queuesNote } = (await systemOf({ queues })).json();
    expect(found).toBeNull();
    expect(queuesNote).toMatch(words);
    expect(queuesNote).not.toContain("planted");
  },
);

/** Settings that hold a secret, with one planted in them. Every other text is shown as it is. */
const secrets: Readonly<Record<string, string>> = {
  STATE_STORE_URL: "postgres://ada:planted-1@a:5432,b:5432/db?password=planted-2&sslmode=require",
  BROKER_URL: "amqps://ada:planted-3@rabbit/v",
  BROKER_MANAGEMENT_URL: "https://ada:planted-4@rabbit:15671",
  OPERATOR_TOKEN: "planted-5-and-long-enough",
  OTEL_EXPORTER_OTLP_ENDPOINT: "https://ada:planted-6@collector:4318",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=planted-7,x-key=planted-8",
  TRACE_URL_TEMPLATE: "https://ada:planted-9@tempo/{traceId}?token=planted-10",
};
/** Settings of text that hold none. A new setting of text must be named here or above. */
const open = [
  "ACCESS_FILE",
  "ANONYMOUS_MAY",
  "CORS_ORIGINS",
  "HEALTH_HOST",
  "HTTP_HOST",
  "HTTP_NAMES",
  "OTEL_SERVICE_NAME",
  "STATUS_WORDS",
  "TRUSTED_PROXIES",
  "DEFAULT_WORKFLOW",
  "WORKFLOW_MODULES",
];

test("no secret of any setting occurs in the answer", async () => {
  const texts = Object.entries(SubmissionConfig.properties)
    .filter(([, schema]) => "type" in schema && schema.type === "string")
    .filter(([, schema]) => !("holdfastDuration" in schema))
    .map(([name]) => name);
  expect(texts.toSorted()).toEqual([...Object.keys(secrets), ...open].toSorted());
  const configuration = parseConfig(SubmissionConfig, secrets);
  const response = await systemOf({ configuration });
  expect(response.body).not.toContain("planted");
  expect(response.json().configuration).toMatchObject({
    STATE_STORE_URL: `postgres://ada@a:5432,b:5432/db?password=${redacted}&sslmode=require`,
    BROKER_URL: "amqps://ada@rabbit/v",
    OPERATOR_TOKEN: redacted,
    OTEL_EXPORTER_OTLP_HEADERS: redacted,
    HTTP_PORT: 3_000,
  });
  expect(configuration.OPERATOR_TOKEN).toBe(secrets["OPERATOR_TOKEN"]);
});
