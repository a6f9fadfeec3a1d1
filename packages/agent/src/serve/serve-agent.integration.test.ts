import { randomUUID } from "node:crypto";
import {
  AgentHeartbeat,
  agentQueue,
  cancelExchange,
  expiredQueue,
  heartbeatQueue,
  limits,
  ownReplyQueues,
  replyQueue,
  requestExchange,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import { PermanentFault } from "@holdfast/domain";
import { askBroker } from "@holdfast/local-stack";
import {
  type Broker,
  cancelHints,
  connectBroker,
  type Delivery,
  userOf,
} from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import { type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { payments, request } from "../../test/fixtures.ts";
import type { ResilienceOptions } from "../attempt/resilience-policy.ts";
import type { Handlers } from "../contract/handlers.ts";
import { host } from "../run/host.ts";
import { sendHeartbeats } from "../run/send-heartbeats.ts";
import { cancelAttempts } from "./cancel-attempts.ts";

const queue = agentQueue("payments");

let parts: AsyncDisposableStack;
let server: TestBroker;
/** The Scheduler's own connection. */
let scheduler: Broker;
let replies: ReturnType<typeof mailbox<Delivery>>;

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  server = parts.use(await testBroker());
  scheduler = parts.use(await connect("scheduler"));
  replies = mailbox();
  parts.use(
    await scheduler.consume(replyQueue, { prefetch: 100 }, async (delivery) =>
      replies.put(delivery),
    ),
  );
});

afterEach(async () => {
  await parts.disposeAsync();
});

const connect = (name: string): Promise<Broker> => {
  const log = { warn: () => {}, error: () => {} };
  return connectBroker({ url: server.url, name, topology: "declare", agents: ["payments"], log });
};

/** What has arrived, and a promise of what is still to come. */
function mailbox<Item>() {
  const items: Item[] = [];
  let waiting: ((item: Item) => void)[] = [];
  return {
    put(item: Item): void {
      const [taker, ...others] = waiting;
      waiting = others;
      if (taker === undefined) items.push(item);
      else taker(item);
    },
    take(): Promise<Item> {
      const [item] = items.splice(0, 1);
      if (item !== undefined) return Promise.resolve(item);
      const { promise, resolve } = Promise.withResolvers<Item>();
      waiting.push(resolve);
      return promise;
    },
    get isEmpty(): boolean {
      return items.length === 0;
    },
  };
}

interface Serving {
  readonly charge: Handlers<typeof payments>["charge"];
  readonly options?: ResilienceOptions;
  readonly publish?: Broker["publish"];
  /** The broker users whose requests it takes; ours, unless said otherwise. */
  readonly requesters?: ReadonlySet<string> | null;
}

/** Of the connection that stands for the Scheduler. */
const ourUser = () => userOf(server.url);

const unasked = () => Promise.reject(new Error("Nobody asked for this"));

/** An instance of the Agent; `stop` is what SIGTERM does to it. */
async function serve({ charge, options, publish, requesters = new Set([ourUser()]) }: Serving) {
  const broker = parts.use(await connect("payments-agent"));
  const logs = mailbox<string>();
  const errors: object[] = [];
  const log = {
    debug: (_: object, message: string) => logs.put(message),
    warn: (_: object, message: string) => logs.put(message),
    error: (fields: object, message: string) => {
      errors.push(fields);
      logs.put(message);
    },
  } as Pick<Logger, "debug" | "warn" | "error"> as Logger;
  const agent = host(
    payments,
    { charge, refund: unasked, assess: unasked },
    options === undefined ? {} : { resilience: options },
  );
  const consumer = parts.use(
    await agent.serve({
      broker: publish === undefined ? broker : { ...broker, publish },
      concurrency: 10,
      userId: ourUser(),
      requesters,
      log,
      failpoint: () => {},
    }),
  );
  return { broker, served: consumer, logs, errors, stop: () => consumer[Symbol.asyncDispose]() };
}

interface Asking {
  readonly body?: Buffer;
  readonly replyTo?: string;
  /** Names no user, which the broker allows. */
  readonly isAnonymous?: true;
}

async function ask(asked: StepRequest, asking: Asking = {}): Promise<void> {
  const { body = StepRequest.encode(asked), isAnonymous = false, ...options } = asking;
  const sent = await scheduler.publish({
    exchange: requestExchange,
    routingKey: "payments",
    type: StepRequest.type,
    messageId: randomUUID(),
    body,
    ...(isAnonymous ? {} : { userId: ourUser() }),
    ...options,
  });
  expect(sent).toBe("stored");
}

const answerOf = ({ body }: Delivery) => StepReply.decode(body);
const chargeId = "c-1";

/** A handler that says when it begins and ends when it is told to. */
function held() {
  const begun = mailbox<number>();
  const release = Promise.withResolvers<{ readonly chargeId: string }>();
  const charge: Serving["charge"] = (_, { attempt }) => {
    begun.put(attempt);
    return release.promise;
  };
  return { begun, charge, release: () => release.resolve({ chargeId }) };
}

test("an Agent replies under its own name, which the broker verifies, with the token of the request", async () => {
  await serve({ charge: async () => ({ chargeId }) });
  const asked = request();
  await ask(asked);
  const delivery = await replies.take();
  expect(delivery).toMatchObject({
    type: StepReply.type,
    routingKey: `reply.payments.${asked.taskId}`,
    userId: ourUser(),
    correlationId: asked.taskId,
  });
  const { taskId, step, attempt, token } = asked;
  const outcome = { kind: "completed", output: { chargeId } };
  const takes = expect.any(Number);
  expect(answerOf(delivery)).toEqual({ taskId, step, attempt, token, outcome, takes });
});

test("an Agent replies to the queue that the request names", async () => {
  const [own = ""] = ownReplyQueues;
  const mine = mailbox<Delivery>();
  parts.use(await scheduler.consume(own, { prefetch: 10 }, async (delivery) => mine.put(delivery)));
  await serve({ charge: async () => ({ chargeId }) });
  const asked = request();
  await ask(asked, { replyTo: own });
  expect(await mine.take()).toMatchObject({ routingKey: `reply-1.payments.${asked.taskId}` });
  expect(replies.isEmpty).toBe(true);
});

test.each([
  ["is gone", ownReplyQueues.at(-1)],
  ["is no queue of replies", "status.of-somebody"],
])(
  "an Agent replies to the shared reply queues if the queue that the request names %s",
  async (_, replyTo) => {
    await serve({ charge: async () => ({ chargeId }) });
    await server.deleteQueue(ownReplyQueues.at(-1) ?? "");
    const asked = request();
    await ask(asked, { replyTo: replyTo ?? "" });
    expect(await replies.take()).toMatchObject({ routingKey: `reply.payments.${asked.taskId}` });
  },
);

test.each([
  ["that names another user than a Scheduler's", { requesters: new Set(["scheduler"]) }, {}],
  ["that names no user", {}, { isAnonymous: true }],
] as const)(
  "an Agent does not carry out a request %s: the step is requeued",
  async (_, serving, asking) => {
    const done = mailbox<number>();
    const { logs } = await serve({
      charge: async (__, { attempt }) => {
        done.put(attempt);
        return { chargeId };
      },
      ...serving,
    });
    await ask(request(), asking);
    expect(answerOf(await replies.take()).outcome).toMatchObject({
      kind: "failed",
      code: "agent.request_refused",
      transient: true,
      attempted: false,
    });
    expect(await logs.take()).toBe("request refused");
    expect(done.isEmpty).toBe(true);
  },
);

test("an Agent carries out requests of every user if all are trusted", async () => {
  await serve({ charge: async () => ({ chargeId }), requesters: null });
  await ask(request(), { isAnonymous: true });
  expect(answerOf(await replies.take()).outcome).toMatchObject({ kind: "completed" });
});

test("an Agent does many steps at the same time", async () => {
  const { begun, charge, release } = held();
  await serve({ charge });
  for (let attempt = 1; attempt <= 10; attempt += 1) await ask(request({ attempt }));
  for (let count = 0; count < 10; count += 1) await begun.take();
  release();
  for (let count = 0; count < 10; count += 1) await replies.take();
});

test("an Agent runs no more steps than its concurrency, and prefetches a fifth more", async () => {
  const { begun, charge, release } = held();
  const { served } = await serve({ charge });
  for (let attempt = 1; attempt <= 13; attempt += 1) await ask(request({ attempt }));
  while (served.health().inFlight < 12) await new Promise(setImmediate);
  for (let attempt = 1; attempt <= 10; attempt += 1) expect(await begun.take()).toBe(attempt);
  expect(begun.isEmpty).toBe(true);
  release();
  expect(await begun.take()).toBe(11);
});

test("an Agent begins the next step before the last reply is confirmed", async () => {
  const begun = mailbox<number>();
  const charge: Serving["charge"] = async (_, { attempt }) => {
    begun.put(attempt);
    return { chargeId };
  };
  const confirm = Promise.withResolvers<"stored">();
  await serve({ charge, publish: () => confirm.promise });
  for (let attempt = 1; attempt <= 12; attempt += 1) await ask(request({ attempt }));
  for (let attempt = 1; attempt <= 12; attempt += 1) expect(await begun.take()).toBe(attempt);
  confirm.resolve("stored");
});

test("an Agent reports a failure of its handler", async () => {
  const declined = new PermanentFault("payments.declined", "no");
  await serve({ charge: () => Promise.reject(declined) });
  await ask(request());
  expect(answerOf(await replies.take()).outcome).toMatchObject({
    kind: "failed",
    code: "payments.declined",
    transient: false,
  });
});

test("an Agent acknowledges a request after its reply is stored: if it dies before, another instance gets the request", async () => {
  const confirm = Promise.withResolvers<"stored">();
  const published = mailbox<string>();
  const dying = await serve({
    charge: async () => ({ chargeId }),
    publish: (message) => {
      published.put(message.routingKey);
      return confirm.promise;
    },
  });
  const asked = request();
  await ask(asked);
  await published.take();
  await dying.broker[Symbol.asyncDispose]();

  await serve({ charge: async () => ({ chargeId: "c-2" }) });
  expect(answerOf(await replies.take())).toMatchObject({
    taskId: asked.taskId,
    outcome: { output: { chargeId: "c-2" } },
  });
  confirm.resolve("stored");
});

test("an Agent publishes its reply again until the broker has stored it", async () => {
  const results = ["unknown", "unroutable", "unknown"] as const;
  const left = [...results];
  const agent = await serve({
    charge: async () => ({ chargeId }),
    publish: async (message) => left.shift() ?? scheduler.publish({ ...message }),
  });
  await ask(request());
  expect(answerOf(await replies.take()).outcome.kind).toBe("completed");
  expect(await agent.logs.take()).toBe("step answered");
  expect(left).toEqual([]);
});

test("an Agent drops an unconfirmed reply and its request at the deadline", async () => {
  const agent = await serve({
    charge: async () => ({ chargeId }),
    publish: async () => "unroutable",
  });
  await ask(request({ workMs: 150 }));
  expect(await agent.logs.take()).toBe("reply not sent");
  await agent.stop();
  expect(await server.depth(queue)).toBe(0);
});

test("an Agent sends no reply after the deadline, and the request is not redelivered", async () => {
  const { charge, begun } = held();
  const agent = await serve({ charge });
  await ask(request({ workMs: 50 }));
  await begun.take();
  expect(await agent.logs.take()).toBe("step abandoned");
  await agent.stop();
  expect(await server.depth(queue)).toBe(0);
  expect(replies.isEmpty).toBe(true);
});

test("an Agent drops a copy of a request that it is working on, and no other request", async () => {
  const { charge, begun, release } = held();
  await serve({ charge });
  const asked = request();
  await ask(asked);
  await ask(asked);
  await ask({ ...asked, attempt: 2 });
  expect([await begun.take(), await begun.take()]).toEqual([1, 2]);
  release();
  const answers = [answerOf(await replies.take()), answerOf(await replies.take())];
  expect(answers.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(begun.isEmpty).toBe(true);
});

test("an Agent reports that it did not call a remote service that keeps failing", async () => {
  await serve({
    charge: () => Promise.reject(new Error("down")),
    options: { retries: 0, failures: 1, openFor: 60_000 },
  });
  await ask(request());
  expect(answerOf(await replies.take()).outcome).toMatchObject({ attempted: true });
  await ask(request({ attempt: 2 }));
  expect(answerOf(await replies.take()).outcome).toMatchObject({
    code: "agent.circuit_open",
    attempted: false,
    transient: true,
    retryAfterMs: expect.any(Number),
  });
});

test.each([
  ["nobody can read", Buffer.from("{")],
  ["is for another Agent", StepRequest.encode(request({ agent: "shipping" }))],
])("an Agent dead-letters a request that %s and goes on", async (_, body) => {
  await serve({ charge: async () => ({ chargeId }) });
  const dead = mailbox<string | undefined>();
  parts.use(
    await scheduler.consume(expiredQueue, { prefetch: 1 }, async ({ deathReason }) =>
      dead.put(deathReason),
    ),
  );
  await ask(request(), { body });
  expect(await dead.take()).toBe("rejected");
  await ask(request());
  expect(answerOf(await replies.take()).outcome.kind).toBe("completed");
});

test("a stopping Agent finishes the requests it has taken, and takes no more", async () => {
  const { charge, begun, release } = held();
  const agent = await serve({ charge });
  await ask(request());
  await begun.take();
  const stopped = agent.stop();
  release();
  await stopped;
  expect(answerOf(await replies.take())).toMatchObject({ attempt: 1 });
  await ask(request({ attempt: 2 }));
  expect(await server.depth(queue)).toBe(1);
});

test("a cancel hint aborts only the handler of its own attempt, within milliseconds", async () => {
  const begun = mailbox<number>();
  const charge: Serving["charge"] = (_, { attempt, signal }) => {
    begun.put(attempt);
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
  };
  const { broker, served } = await serve({ charge });
  const silent = { warn: () => {} };
  parts.use(await broker.listen(cancelExchange, cancelAttempts([served], silent)));
  const asked = request();
  await ask(asked);
  await begun.take();
  expect(served.health()).toEqual({ breaker: "closed", openForMs: 0, inFlight: 1 });

  cancelHints(scheduler)([{ ...asked, token: randomUUID() }, asked]);
  expect(answerOf(await replies.take())).toMatchObject({
    taskId: asked.taskId,
    outcome: { kind: "stopped", effect: "unknown" },
  });
});

test("an Agent sends heartbeats with its operations and the state of its circuit breaker", async () => {
  const beats = mailbox<AgentHeartbeat>();
  parts.use(
    await scheduler.consume(heartbeatQueue, { prefetch: 10 }, async ({ body, routingKey }) => {
      expect(routingKey).toBe("heartbeat.payments");
      beats.put(AgentHeartbeat.decode(body));
    }),
  );
  const { broker, served } = await serve({
    charge: () => Promise.reject(new Error("down")),
    options: { retries: 0, failures: 1, openFor: 60_000 },
  });
  const userId = decodeURIComponent(new URL(server.url).username);
  const beat = sendHeartbeats({ broker, served: [served], instance: "i-1", userId });
  await beat();
  const operations = ["charge", "refund", "assess"];
  const idle = { agent: "payments", instance: "i-1", capacity: 10, inFlight: 0, operations };
  expect(await beats.take()).toEqual({ ...idle, breaker: "closed", openForMs: 0 });
  await ask(request());
  await replies.take();
  await beat();
  expect(await beats.take()).toMatchObject({ breaker: "open", openForMs: expect.any(Number) });
});

test("an Agent with more operations than a heartbeat may name announces none", async () => {
  const { served } = await serve({ charge: unasked });
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

test("an Agent goes on after all connections were cut", async () => {
  const { charge, begun, release } = held();
  await serve({ charge });
  const asked = request();
  await ask(asked);
  await begun.take();
  await server.closeAllConnections();
  release();
  expect(answerOf(await replies.take())).toMatchObject({ taskId: asked.taskId });
});

/** Has somebody receive a request and lose the connection with it, so that the broker delivers it again. */
const redeliver = (asked: StepRequest): Promise<void> =>
  askBroker(server.url, async (channel) => {
    await ask(asked);
    const { promise: received, resolve } = Promise.withResolvers<unknown>();
    await channel.consume(queue, resolve);
    await received;
  });

const refused = { kind: "failed", attempted: false, transient: false, effect: "none" };

test.each([
  ["the contract refuses", request({ operation: "unknown" }), refused],
  ["the remote service declines", request(), { kind: "failed", attempted: true, effect: "none" }],
])(
  "an Agent reports of a request that %s whether the broker had delivered it before",
  async (_, asked, expected) => {
    const declined = new PermanentFault("payments.declined", "no", { details: { effect: "none" } });
    const decline = () => Promise.reject(declined);
    const first = await serve({ charge: decline });
    await ask(asked);
    const once = answerOf(await replies.take());
    expect(once.outcome).toMatchObject({ ...expected, redelivered: false });
    await first.stop();

    const again = { ...asked, taskId: randomUUID() };
    await redeliver(again);
    await serve({ charge: decline });
    const twice = answerOf(await replies.take());
    expect(twice).toMatchObject({
      taskId: again.taskId,
      outcome: { ...expected, redelivered: true },
    });
  },
);

test("an Agent refuses as not attempted a request that has no slot shortly before its deadline, and does not begin it", async () => {
  const { charge, begun, release } = held();
  await serve({ charge });
  const busy = Array.from({ length: 10 }, () => request());
  for (const one of busy) await ask(one);
  for (const _ of busy) await begun.take();
  const late = request({ workMs: 500 });
  await ask(late);
  const answer = answerOf(await replies.take());
  expect(answer).toMatchObject({
    taskId: late.taskId,
    outcome: { kind: "failed", code: "agent.no_slot", attempted: false, transient: true },
  });
  release();
  for (const _ of busy) expect(answerOf(await replies.take()).outcome.kind).toBe("completed");
  expect(begun.isEmpty).toBe(true);
});

test("a handler that throws no Fault is logged as an error, with its stack, the task, the step and the attempt", async () => {
  const bug = new TypeError("Cannot read properties of undefined");
  const { errors, logs } = await serve({
    charge: () => Promise.reject(bug),
    options: { retries: 0 },
  });
  const asked = request();
  await ask(asked);
  expect(await logs.take()).toBe("handler threw");
  const { taskId, step, attempt } = asked;
  expect(errors).toEqual([
    { agent: "payments", taskId, step, attempt, operation: "charge", err: bug },
  ]);
});
