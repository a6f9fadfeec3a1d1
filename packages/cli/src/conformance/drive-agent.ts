import { randomUUID } from "node:crypto";
import {
  agentQueue,
  cancelExchange,
  heartbeatExchange,
  heartbeatRoute,
  replyExchange,
  replyQueue,
  requestExchange,
  StepCancel,
  StepRequest,
} from "@holdfast/contracts";
import { PermanentFault } from "@holdfast/domain";
import { connectBroker, openTap, userOf } from "@holdfast/messaging";
import { disposableStack } from "@holdfast/runtime";
import type { AgentDriver, DriverOptions } from "./agent-driver.ts";
import type { Case } from "./cases.ts";
import { openInbox } from "./open-inbox.ts";

/** Milliseconds until the broker drops a request that the Agent did not take. */
const startWithin = 10_000;
const quiet = { warn: () => {}, error: () => {} };

/** Connects as a Scheduler that consumes replies and heartbeats through a queue of its own. */
export async function driveAgent(options: DriverOptions): Promise<AgentDriver> {
  const { agent, brokerUrl: url } = options;
  await using stack = disposableStack();
  const inbox = openInbox(options);
  const bindings = [
    { exchange: replyExchange, routingKey: `*.${agent}.*` },
    { exchange: heartbeatExchange, routingKey: heartbeatRoute(agent) },
  ];
  const named = { url, name: "holdfast conformance" };
  stack.use(await openTap({ ...named, bindings, onFrame: inbox.add }));
  const broker = stack.use(
    await connectBroker({ ...named, topology: "passive", agents: [], log: quiet }),
  );
  const publish = async (taskId: string, body: Buffer): Promise<void> => {
    inbox.published(taskId);
    const result = await broker.publish({
      exchange: requestExchange,
      routingKey: agent,
      type: StepRequest.type,
      messageId: `${taskId}:conformance:1`,
      correlationId: taskId,
      replyTo: replyQueue,
      userId: userOf(url),
      expirationMs: startWithin,
      body,
    });
    if (result === "unroutable") throw noQueue(agent);
  };
  const owned = stack.move();
  return {
    agent,
    ...inbox,
    request: (asked, { workMs }) => requestFor(agent, asked, workMs),
    send(request) {
      inbox.expect(request);
      return publish(request.taskId, StepRequest.encode(request));
    },
    sendRaw: publish,
    async cancel(attempt) {
      await broker.publish({
        exchange: cancelExchange,
        routingKey: "",
        type: StepCancel.type,
        messageId: randomUUID(),
        transient: true,
        body: StepCancel.encode(attempt),
      });
    },
    inspect: () => broker.inspect(agentQueue(agent)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function requestFor(agent: string, { operation, input }: Case, workMs: number): StepRequest {
  const taskId = randomUUID();
  return {
    taskId,
    step: "conformance",
    agent,
    operation,
    attempt: 1,
    token: randomUUID(),
    idempotencyKey: `${taskId}:conformance:do`,
    workMs,
    completeBy: new Date(Date.now() + startWithin + workMs).toISOString(),
    input,
  };
}

const noQueue = (agent: string) =>
  new PermanentFault(
    "cli.agent_not_found",
    `There is no queue ${agentQueue(agent)}: start the Agent, or add it to the users of the broker and run holdfast topology apply.`,
  );
