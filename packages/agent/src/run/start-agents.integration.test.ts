import { randomUUID } from "node:crypto";
import {
  AgentHeartbeat,
  heartbeatQueue,
  replyQueue,
  requestExchange,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import { TransientFault } from "@holdfast/domain";
import { type Broker, connectBroker, userOf } from "@holdfast/messaging";
import { type TestBroker, testBroker } from "@holdfast/test-servers";
import { defineAgent } from "@holdfast/workflow";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { z } from "zod";
import { request } from "../../test/fixtures.ts";
import { mailbox } from "../../test/serving.ts";
import { host } from "./host.ts";
import { startAgents } from "./start-agents.ts";

const amount = z.object({ amount: z.int() });
const agentNamed = (name: string) =>
  defineAgent(name, { charge: { input: amount, output: amount } });
const names = ["cards", "vouchers", "points"];

let parts: AsyncDisposableStack;
let server: TestBroker;
let scheduler: Broker;
let answers: Map<string, (reply: StepReply) => void>;

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  server = parts.use(await testBroker());
  const log = { warn: () => {}, error: () => {} };
  const topology = "declare";
  scheduler = parts.use(
    await connectBroker({ url: server.url, name: "scheduler", topology, agents: names, log }),
  );
  answers = new Map();
  const replies = await scheduler.consume(replyQueue, { prefetch: 100 }, async ({ body }) => {
    const reply = StepReply.decode(body);
    answers.get(reply.taskId)?.(reply);
  });
  parts.use(replies);
});

afterEach(async () => {
  await parts.disposeAsync();
});

const agent = (name: string, options = {}) =>
  host(agentNamed(name), { charge: async (input) => input }, options);

/** Publishes a request; resolves to the kind of its reply, however long that takes. */
async function ask(name: string): Promise<string> {
  const asked = request({ agent: name });
  const { promise, resolve } = Promise.withResolvers<StepReply>();
  answers.set(asked.taskId, resolve);
  const publish = () =>
    scheduler.publish({
      exchange: requestExchange,
      routingKey: name,
      type: StepRequest.type,
      messageId: randomUUID(),
      userId: userOf(server.url),
      body: StepRequest.encode(asked),
    });
  // Its own connection may be the one that was cut.
  while ((await publish()) !== "stored") await new Promise(setImmediate);
  return (await promise).outcome.kind;
}

test("two sets of Agents run in one process, and a signal stops one of them only", async () => {
  const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
  const signals = process.listenerCount("SIGTERM");
  const first = await startAgents({
    broker: server.url,
    agents: [agent("cards"), agent("vouchers")],
    signal: stopFirst.signal,
  });
  const second = await startAgents({
    broker: { url: server.url, topology: "passive" },
    agents: [agent("points")],
    signal: stopSecond.signal,
  });
  expect(await Promise.all(names.map(ask))).toEqual(["completed", "completed", "completed"]);
  expect(process.listenerCount("SIGTERM")).toBe(signals);

  stopFirst.abort();
  await first.stopped;
  expect(first.isReady).toBe(false);
  expect(await ask("points")).toBe("completed");
  const unanswered = ask("cards");

  stopSecond.abort();
  await second.stopped;
  await using _third = await startAgents({ broker: server.url, agents: [agent("cards")] });
  expect(await unanswered).toBe("completed");
});

test("Agents reconnect and go on after their connections were cut", async () => {
  const warnings: string[] = [];
  const logger = {
    debug: () => {},
    info: () => {},
    warn: (_: unknown, message?: string) => void warnings.push(message ?? ""),
    error: () => {},
  };
  await using _running = await startAgents({
    broker: server.url,
    agents: [agent("cards")],
    logger,
  });
  expect(await ask("cards")).toBe("completed");
  await server.closeAllConnections();
  expect(await ask("cards")).toBe("completed");
  expect(warnings).toContain("broker connection lost");
});

test("an Agent performs no more steps at a time than the concurrency it sets itself", async () => {
  let [running, most] = [0, 0];
  const charge = async (input: z.infer<typeof amount>) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return input;
  };
  const agents = [host(agentNamed("cards"), { charge }, { concurrency: 1 })];
  await using _running = await startAgents({ broker: server.url, agents, concurrency: 50 });
  await Promise.all(Array.from({ length: 5 }, () => ask("cards")));
  expect(most).toBe(1);
});

test("an Agent sends a heartbeat as soon as its breaker opens", async () => {
  const beats = mailbox<{ readonly breaker: string; readonly at: number }>();
  parts.use(
    await scheduler.consume(heartbeatQueue, { prefetch: 10 }, async ({ body }) => {
      const { breaker, leaving } = AgentHeartbeat.decode(body);
      if (leaving !== true) beats.put({ breaker, at: performance.now() });
    }),
  );
  const charge = () => Promise.reject(new TransientFault("cards.down", "down"));
  const resilience = { retries: 0, failures: 1, openFor: 60_000 };
  const agents = [host(agentNamed("cards"), { charge }, { resilience })];
  /** How long after the heartbeat before it the one that says "open" came, in milliseconds. */
  const holdRemote = async (): Promise<number> => {
    await using _running = await startAgents({ broker: server.url, agents });
    let last = await beats.take();
    expect(last.breaker).toBe("closed");
    expect(await ask("cards")).toBe("failed");
    for (;;) {
      const beat = await beats.take();
      if (beat.breaker === "open") return beat.at - last.at;
      last = beat;
    }
  };
  // Without it they are a second apart. On a machine that is busy it may come late: then another
  // Agent shows it.
  let apart = Number.POSITIVE_INFINITY;
  while (apart > 700) apart = await holdRemote();
});

test("starting two Agents with one name throws an error", async () => {
  const agents = [agent("cards"), agent("cards")];
  await expect(startAgents({ broker: server.url, agents })).rejects.toMatchObject({
    code: "agent.duplicate",
    message: "Two Agents are named cards: give each Agent of one process a name of its own",
  });
});

test("a signal that has aborted already starts nothing", async () => {
  const signal = AbortSignal.abort(new Error("not wanted"));
  await expect(
    startAgents({ broker: server.url, agents: [agent("cards")], signal }),
  ).rejects.toThrow("not wanted");
});
