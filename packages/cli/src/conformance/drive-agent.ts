import { randomUUID } from "node:crypto";
import {
  type AgentHeartbeat,
  agentQueue,
  cancelExchange,
  heartbeatExchange,
  heartbeatRoute,
  replyExchange,
  replyQueue,
  requestExchange,
  StepCancel,
  type StepReply,
  StepRequest,
} from "@holdfast/contracts";
import { PermanentFault } from "@holdfast/domain";
import { type Broker, connectBroker, openTap, userOf } from "@holdfast/messaging";
import type { Case } from "./cases.ts";
import { openInbox } from "./open-inbox.ts";

/** One reply to a request of ours. */
export interface Answer {
  /** Null: no `step.reply.v1` can be read in it. */
  readonly reply: StepReply | null;
  /** Milliseconds since its request was published last. */
  readonly afterMs: number;
  /** Why a Scheduler would not take it, whatever it says. */
  readonly faults: readonly string[];
}

/** Asks one Agent as a Scheduler does. */
export interface AgentDriver extends AsyncDisposable {
  readonly agent: string;
  /** Readable heartbeats of the Agent, the newest last; and why others are not. */
  readonly heartbeats: readonly AgentHeartbeat[];
  readonly heartbeatFaults: readonly string[];
  /** The broker user of the Agent, as its last message names it; null: none, or ours. */
  agentUser(): string | null;
  /** A request that has not been sent, with an id of its own. */
  request(asked: Case, options: { readonly workMs: number }): StepRequest;
  send(request: StepRequest): Promise<void>;
  /** Sends bytes in place of a request. */
  sendRaw(taskId: string, body: Buffer): Promise<void>;
  cancel(attempt: StepCancel): Promise<void>;
  /** Resolves when there are so many answers, or when the time is over, to what there is. */
  answers(taskId: string, wanted: number, withinMs: number): Promise<readonly Answer[]>;
  /** Resolves to what `find` finds, looking at each thing that comes; null: not in time. */
  until<Found>(find: () => Found | null, withinMs: number): Promise<Found | null>;
  /** How many requests wait for the Agent, and how many instances consume; null: this user may not ask. */
  inspect(): ReturnType<Broker["inspect"]>;
}

export interface DriverOptions {
  readonly agent: string;
  readonly brokerUrl: string;
  readonly identity: "required" | "trusted";
}

/** Milliseconds until the broker drops a request that the Agent did not take. */
const startWithin = 10_000;
const quiet = { warn: () => {}, error: () => {} };

/** Connects as a Scheduler that consumes replies and heartbeats through a queue of its own. */
export async function driveAgent(options: DriverOptions): Promise<AgentDriver> {
  const { agent, brokerUrl: url } = options;
  await using stack = new AsyncDisposableStack();
  const inbox = openInbox(options);
  stack.use(
    await openTap({
      url,
      name: "holdfast conformance",
      bindings: [
        { exchange: replyExchange, routingKey: `*.${agent}.*` },
        { exchange: heartbeatExchange, routingKey: heartbeatRoute(agent) },
      ],
      onFrame: inbox.add,
    }),
  );
  const broker = stack.use(
    await connectBroker({
      url,
      name: "holdfast conformance",
      topology: "passive",
      agents: [],
      log: quiet,
    }),
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
