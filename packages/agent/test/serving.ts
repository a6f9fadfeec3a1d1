import { randomUUID } from "node:crypto";
import { replyQueue, requestExchange, StepReply, StepRequest } from "@holdfast/contracts";
import { type Broker, connectBroker, type Delivery, userOf } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import { type TestBroker, testBroker } from "@holdfast/test-servers";
import type { ResilienceOptions, ResiliencePolicy } from "../src/attempt/resilience-policy.ts";
import type { Handlers } from "../src/contract/handlers.ts";
import { host } from "../src/run/host.ts";
import { payments, unasked } from "./fixtures.ts";

export type Charge = Handlers<typeof payments>["charge"];

interface Serving {
  readonly charge: Charge;
  readonly options?: ResilienceOptions | ResiliencePolicy;
  readonly publish?: Broker["publish"];
  /** The broker's URL; that of the Scheduler, unless said otherwise. */
  readonly url?: string;
  readonly concurrency?: number;
  /** The broker users whose requests it takes; ours, unless said otherwise. */
  readonly requesters?: ReadonlySet<string> | null;
}

interface Asking {
  readonly body?: Buffer;
  readonly replyTo?: string;
  /** Names no user, which the broker allows. */
  readonly isAnonymous?: true;
  readonly isUrgent?: true;
}

/** A broker of a test's own, a Scheduler's connection to it, and instances of an Agent. */
export interface TestedAgent extends AsyncDisposable {
  /** What is disposed of with it. */
  readonly parts: AsyncDisposableStack;
  readonly server: TestBroker;
  /** The Scheduler's own connection. */
  readonly scheduler: Broker;
  readonly replies: Mailbox<Delivery>;
  /** The broker user of the Scheduler's connection. */
  readonly ourUser: string;
  /** Starts an instance of the Agent; `stop` is what SIGTERM does to it. */
  serve(serving: Serving): Promise<Served>;
  ask(asked: StepRequest, asking?: Asking): Promise<void>;
}

type Mailbox<Item> = ReturnType<typeof mailbox<Item>>;

interface Served {
  readonly broker: Broker;
  readonly served: Awaited<ReturnType<ReturnType<typeof host>["serve"]>>;
  readonly logs: Mailbox<string>;
  /** The fields of what was logged as an error. */
  readonly errors: readonly object[];
  stop(): Promise<void>;
}

export async function openTestedAgent(): Promise<TestedAgent> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await testBroker());
  const connect = (name: string, url = server.url): Promise<Broker> => {
    const log = { warn: () => {}, error: () => {} };
    return connectBroker({ url, name, topology: "declare", agents: ["payments"], log });
  };
  const scheduler = opened.use(await connect("scheduler"));
  const replies = mailbox<Delivery>();
  opened.use(
    await scheduler.consume(replyQueue, { prefetch: 100 }, async (delivery) =>
      replies.put(delivery),
    ),
  );
  const ourUser = userOf(server.url);
  const parts = opened.move();
  return {
    parts,
    server,
    scheduler,
    replies,
    ourUser,
    async serve({ charge, options, publish, url, concurrency = 10, ...serving }) {
      const { requesters = new Set([ourUser]) } = serving;
      const broker = parts.use(await connect("payments-agent", url));
      const { log, logs, errors } = recordingLog();
      const agent = host(
        payments,
        { charge, refund: unasked, assess: unasked },
        options === undefined ? {} : { resilience: options },
      );
      const served = parts.use(
        await agent.serve({
          broker: publish === undefined ? broker : { ...broker, publish },
          concurrency,
          userId: ourUser,
          requesters,
          log,
          failpoint: () => {},
        }),
      );
      return { broker, served, logs, errors, stop: async () => served[Symbol.asyncDispose]() };
    },
    async ask(asked, asking = {}) {
      const { body = StepRequest.encode(asked), isAnonymous = false, ...options } = asking;
      const sent = await scheduler.publish({
        exchange: requestExchange,
        routingKey: "payments",
        type: StepRequest.type,
        messageId: randomUUID(),
        body,
        ...(isAnonymous ? {} : { userId: ourUser }),
        ...options,
      });
      if (sent !== "stored") throw new Error(`The request is ${sent}`);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function recordingLog() {
  const logs = mailbox<string>();
  const errors: object[] = [];
  const log = {
    debug: (_: object, message: string) => logs.put(message),
    info: (_: object, message: string) => logs.put(message),
    warn: (_: object, message: string) => logs.put(message),
    error: (fields: object, message: string) => {
      errors.push(fields);
      logs.put(message);
    },
  } as Pick<Logger, "debug" | "info" | "warn" | "error"> as Logger;
  return { log, logs, errors };
}

export const answerOf = ({ body }: Delivery) => StepReply.decode(body);

export const chargeId = "c-1";

/** A handler that reports each attempt that it begins, and completes all of them on `release`. */
export function held() {
  const begun = mailbox<number>();
  const release = Promise.withResolvers<{ readonly chargeId: string }>();
  const charge: Charge = (_, { attempt }) => {
    begun.put(attempt);
    return release.promise;
  };
  return { begun, charge, release: () => release.resolve({ chargeId }) };
}

/** What has arrived, and a promise of what is still to come. */
export function mailbox<Item>() {
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
