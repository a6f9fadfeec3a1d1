import { AgentHeartbeat, heartbeatQueue, limits } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import { contract, contractOf } from "@holdfast/workflow";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { payments, request, unasked } from "../../test/fixtures.ts";
import { mailbox, openTestedAgent, type TestedAgent } from "../../test/serving.ts";
import { sendHeartbeats, sendLeave } from "./send-heartbeats.ts";

let tested: TestedAgent;

beforeEach(async () => {
  tested = await openTestedAgent();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

test("an Agent sends heartbeats with its operations and the state of its circuit breaker", async () => {
  const beats = mailbox<AgentHeartbeat>();
  tested.parts.use(
    await tested.scheduler.consume(
      heartbeatQueue,
      { prefetch: 10 },
      async ({ body, routingKey }) => {
        expect(routingKey).toBe("heartbeat.payments");
        beats.put(AgentHeartbeat.decode(body));
      },
    ),
  );
  const { broker, served } = await tested.serve({
    charge: () => Promise.reject(new Error("down")),
    options: { retries: 0, failures: 1, openFor: 60_000 },
  });
  const userId = decodeURIComponent(new URL(tested.server.url).username);
  const beat = sendHeartbeats({ broker, served: [served], instance: "i-1", userId });
  await beat();
  const operations = ["charge", "refund", "assess"];
  const { charge, assess } = payments[contract].operations;
  const contracts = [contractOf(charge), "", contractOf(assess)];
  const idle = {
    agent: "payments",
    instance: "i-1",
    capacity: 10,
    inFlight: 0,
    operations,
    contracts,
    everyMs: 1_000,
  };
  expect(await beats.take()).toEqual({ ...idle, breaker: "closed", openForMs: 0 });
  await tested.ask(request());
  await tested.replies.take();
  await beat();
  expect(await beats.take()).toMatchObject({ breaker: "open", openForMs: expect.any(Number) });
});

test("an instance that stops in order says that it leaves", async () => {
  const { served } = await tested.serve({ charge: unasked });
  const sent: AgentHeartbeat[] = [];
  const publish: Broker["publish"] = async ({ body }) => {
    sent.push(AgentHeartbeat.decode(body));
    return "stored";
  };
  const options = { broker: { publish }, served: [served], instance: "i-1", userId: "u" };
  await sendHeartbeats(options)();
  await sendLeave(options);
  expect(sent.map(({ leaving }) => leaving)).toEqual([undefined, true]);
});

test("an Agent with more operations than a heartbeat may name announces none", async () => {
  const { served } = await tested.serve({ charge: unasked });
  const operationsOf = async (count: number) => {
    const operations = Array.from({ length: count }, (_, index) => `do${index}`);
    const sent: Buffer[] = [];
    const publish: Broker["publish"] = async ({ body }) => {
      sent.push(body);
      return "stored";
    };
    const many = { ...served, operations };
    await sendHeartbeats({ broker: { publish }, served: [many], instance: "i-1", userId: "u" })();
    return sent.map((body) => AgentHeartbeat.decode(body).operations?.length);
  };
  expect(await operationsOf(limits.operations)).toEqual([limits.operations]);
  expect(await operationsOf(limits.operations + 1)).toEqual([undefined]);
});
