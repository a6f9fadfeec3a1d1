import {
  heartbeatExchange,
  heartbeatRoute,
  replyExchange,
  submissionQueue,
} from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  startFaultySystem,
  takeRequests,
  until,
} from "./faulty-system.ts";
import { type AnyMessage, publish, publishAll } from "./publish.ts";

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

const reply = (changes: object = {}): string =>
  JSON.stringify({
    taskId: crypto.randomUUID(),
    step: "reserve",
    attempt: 1,
    token: crypto.randomUUID(),
    outcome: { kind: "completed", output: null },
    ...changes,
  });

const toReplies = (body: string, properties: Partial<AnyMessage> = {}) => ({
  exchange: replyExchange,
  routingKey: "reply.inventory.x",
  body,
  ...properties,
});

const count = async (faulty: FaultySystem, table: string): Promise<number> =>
  (await faulty.query(`select 1 from state.${table}`)).length;

/** Waits for the attempt at the first step, of an Agent that does not answer. */
async function attemptOf(faulty: FaultySystem, taskId: string) {
  const find = () =>
    faulty.query<{ name: string; attempt: number; token: string }>(
      `select name, attempt, token::text from state.steps
        where task_id = '${taskId}' and name = 'reserve' and process_state = 'processing'`,
    );
  await until(async () => (await find()).length > 0);
  const [found] = await find();
  if (found === undefined) throw new Error("no step is being processed");
  return { taskId, step: found.name, attempt: found.attempt, token: found.token };
}

const stateOf = async (faulty: FaultySystem, taskId: string) =>
  (await faulty.store.findTask({ taskId, tenant: "default" }))?.processState;

const failing = (changes: object) => ({
  outcome: { kind: "failed", code: "a.b", message: "no", transient: true, ...changes },
});

test("replies that cannot be stored delay no other order", async () => {
  await using faulty = await startFaultySystem({
    apart: ["scheduler"],
    forging: true,
    env: { scheduler: { REPLY_IDENTITY: "trusted" } },
  });
  const bodies = [
    reply({ attempt: 2 ** 31 }),
    reply({ attempt: 1e300 }),
    reply({ step: "a\u0000" }),
    reply({ step: "\ud800" }),
    reply({ bundleSize: 1e18 }),
    reply().replace("null", deep(20_000)),
    reply().replace("null", deep(100_000)),
    reply().replace("null", "1e400"),
    reply({ outcome: { kind: "failed", code: "a\0", message: "\0", transient: true } }),
    reply({
      outcome: { kind: "failed", code: "a.b", message: "", transient: true, retryAfterMs: 1e308 },
    }),
  ];
  // Once to whichever Scheduler, and once to the queue of its own.
  await publishAll(
    faulty,
    bodies.flatMap((body) => [
      toReplies(body),
      { ...toReplies(body), routingKey: "reply-1.inventory.x" },
    ]),
  );
  const ids = await faulty.submit(["good", "good", "declined"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 1 }));
  await until(async () => (await count(faulty, "dead_letters")) === 12);
  await until(async () => (await count(faulty, "rejected_replies")) === 8);
  expect(faulty.log.filter(({ msg }) => msg === "crashed")).toEqual([]);
});

test("as many replies as the prefetch with a deep field that is unknown delay no order", async () => {
  await using faulty = await startFaultySystem({
    forging: true,
    env: { scheduler: { REPLY_IDENTITY: "trusted" } },
  });
  const body = reply().replace(/}$/, `,"x":${deep(8_000)}}`);
  const flood = Array.from({ length: 110 }, () => ({
    ...toReplies(body),
    routingKey: "reply-1.inventory.x",
  }));
  await publishAll(faulty, flood);
  const ids = await faulty.submit(["good", "declined"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 1 }));
  await until(async () => (await count(faulty, "rejected_replies")) === flood.length);
  expect(await faulty.query("select distinct reason, body from state.rejected_replies")).toEqual([
    { reason: "unknown_task", body: Buffer.from(body) },
  ]);
  expect(await count(faulty, "dead_letters")).toBe(0);
});

describe("a reply to a live step", () => {
  /** All cases share it: each has a task of its own. */
  let faulty: FaultySystem;
  beforeAll(async () => {
    faulty = await startFaultySystem({
      apart: ["scheduler"],
      forging: true,
      env: { scheduler: { REPLY_IDENTITY: "trusted" } },
      limits: { startWithin: 60_000, completeWithin: 60_000 },
    });
    await faulty.system.running("agent")[0]?.[Symbol.asyncDispose]();
    // Requests are sent where a consumer takes them. It ends with the broker.
    await takeRequests(faulty, ["inventory"]);
  });
  afterAll(async () => {
    await faulty[Symbol.asyncDispose]();
  });

  test.each([
    ["is too deep", deep(100_000), "is deeper than 32 levels"],
    ["is too long", JSON.stringify("x".repeat(300_000)), "bytes long"],
    ["has a NUL", '"\\u0000"', "has a NUL"],
    ["has a number that JSON changes", "123456789012345678901234567890", "too large to be exact"],
  ])("whose output %s halts its task at once, and is kept apart", async (_, output, detail) => {
    const [id] = await faulty.submit(["good"]);
    const attempt = await attemptOf(faulty, id);
    const body = reply(attempt).replace('"output":null', `"output":${output}`);
    await publish(faulty, toReplies(body));
    await until(async () => (await stateOf(faulty, id)) === "halted");
    const [step] = await faulty.query(
      `select process_state, steps.fault_code, may_have_effect, fault_detail, output
         from state.steps join state.step_payloads using (task_id, name)
        where task_id = '${id}' and name = '${attempt.step}'`,
    );
    expect(step).toMatchObject({
      process_state: "error",
      fault_code: "step.output_unstorable",
      may_have_effect: true,
      fault_detail: expect.stringContaining(detail),
      output: null,
    });
    const kept = () =>
      faulty.query<{ reason: string; body: Buffer }>(
        `select reason, body from state.rejected_replies where task_id = '${id}'`,
      );
    await until(async () => (await kept()).length > 0);
    expect(await kept()).toEqual([{ reason: "step.output_unstorable", body: Buffer.from(body) }]);
  });

  test.each([
    ["has an unknown outcome", { outcome: { kind: "done" } }, "/outcome/kind must be one of"],
    ["has a text for a flag", failing({ transient: "true" }), "/outcome/transient must be boolean"],
    ["has its attempt as a text", { attempt: "1" }, "/attempt must be integer"],
  ])(
    "that is nearly right but %s halts its task at once, undoes nothing, and alerts with the place",
    async (_, changes, place) => {
      const [id] = await faulty.submit(["good"]);
      const attempt = await attemptOf(faulty, id);
      await publish(faulty, toReplies(reply({ ...attempt, ...changes })));
      await until(async () => (await stateOf(faulty, id)) === "halted");
      const task = await faulty.store.findTask({ taskId: id, tenant: "default" });
      expect(task).toMatchObject({ goal: "do", faultCode: "step.reply_invalid" });
      expect(task?.steps.find(({ name }) => name === attempt.step)).toMatchObject({
        failureCount: 0,
        faultDetail: expect.stringContaining(place),
      });
      const alerts = await faulty.query<{ detail: string }>(
        `select detail from state.alerts where task_id = '${id}'`,
      );
      expect(alerts).toEqual([{ detail: expect.stringContaining(place) }]);
    },
  );

  test("whose message has a NUL is recorded as the outcome that it reports", async () => {
    const [id] = await faulty.submit(["good"]);
    const attempt = await attemptOf(faulty, id);
    const outcome = { kind: "failed", code: "a.b", message: "no\0", transient: true };
    await publish(faulty, toReplies(reply({ ...attempt, outcome })));
    const find = () =>
      faulty.query(
        `select failure_count, fault_detail from state.steps join state.step_payloads using (task_id, name)
          where task_id = '${id}'`,
      );
    await until(async () => (await find()).length > 0);
    expect(await find()).toEqual([{ failure_count: 1, fault_detail: "no\ufffd" }]);
  });

  // The last one: it has the inventory ask for a rest, which later steps would wait for.
  test("in a bundle with one that can be neither encoded nor stored ends no process", async () => {
    const [deepId, restId] = await faulty.submit(["good", "good"]);
    const tooDeep = await attemptOf(faulty, deepId);
    const resting = await attemptOf(faulty, restId ?? "");
    const outcome = {
      kind: "failed",
      code: "inventory.busy",
      message: "later",
      transient: true,
      retryAfterMs: 1e308,
    };
    const lines = [
      reply(tooDeep).replace('"output":null', `"output":${deep(100_000)}`),
      reply({ ...resting, outcome }),
    ];
    await publish(
      faulty,
      toReplies(`${lines.join("\n")}\n`, { contentType: "application/x-ndjson" }),
    );
    const stepsOf = (id: string) =>
      faulty.query(
        `select process_state, fault_code from state.steps where task_id = '${id}' and name = 'reserve'`,
      );
    await until(async () => JSON.stringify(await stepsOf(deepId)).includes("output_unstorable"));
    await until(async () => JSON.stringify(await stepsOf(restId ?? "")).includes("inventory.busy"));
    expect(await stepsOf(restId ?? "")).toEqual([
      { process_state: "pending", fault_code: "inventory.busy" },
    ]);
    expect(faulty.log.filter(({ msg }) => msg === "crashed")).toEqual([]);
  });
});

const heartbeat = (changes: object) =>
  JSON.stringify({
    agent: "odd",
    instance: "odd-1",
    capacity: 1,
    inFlight: 0,
    breaker: "closed",
    openForMs: 0,
    ...changes,
  });
const toHeartbeats = (body: string) => ({
  exchange: heartbeatExchange,
  routingKey: heartbeatRoute("odd"),
  body,
});

test("dead letters and heartbeats that cannot be stored do not block later ones", async () => {
  await using faulty = await startFaultySystem({ apart: ["scheduler"], forging: true });
  const odd = { type: "a\0b", messageId: "\0", headers: { "x-first-death-reason": "\0" } };
  await publishAll(faulty, [
    toReplies("{", odd),
    { exchange: "", routingKey: submissionQueue, body: "not json", messageId: "a\0b" },
    toReplies("{", { messageId: "x".repeat(255) }),
    toHeartbeats(heartbeat({ capacity: 2 ** 31 })),
    toHeartbeats(heartbeat({ openForMs: 1e300 })),
    toHeartbeats(heartbeat({ instance: "a\0" })),
    toHeartbeats("x".repeat(100_000)),
    toHeartbeats(heartbeat({})),
  ]);
  await until(async () => (await count(faulty, "dead_letters")) === 3);
  expect(
    await faulty.query("select queue, type from state.dead_letters order by queue, type"),
  ).toEqual([
    { queue: "dead.replies", type: "a\ufffdb" },
    { queue: "dead.replies", type: null },
    { queue: "dead.requests", type: null },
  ]);
  await until(
    async () => (await faulty.query("select 1 from state.agents where agent = 'odd'")).length === 1,
  );
  const ids = await faulty.submit(["good"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});

test("a flood of dead letters raises one alert, and does not delay a lone order", async () => {
  await using faulty = await startFaultySystem({ apart: ["scheduler"], forging: true });
  const garbage = Array.from({ length: 5_000 }, () => toReplies("garbage"));
  const flood = publishAll(faulty, garbage);
  const ids = await faulty.submit(["good"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
  await flood;
  await until(
    async () =>
      (await faulty.query<{ count: number }>("select count(*)::int from state.dead_letters"))[0]
        ?.count === 5_000,
  );
  expect(await faulty.query("select kind, code, detail from state.alerts")).toEqual([
    { kind: "message.dead", code: "rejected", detail: "dead.replies" },
  ]);
  const lines = faulty.log.filter(({ msg }) => /unreadable|dead letters kept/.test(msg));
  expect(lines.length).toBeLessThan(1_000);
});
