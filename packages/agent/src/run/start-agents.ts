import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { cancelExchange } from "@holdfast/contracts";
import { PermanentFault } from "@holdfast/domain";
import { type Broker, type BrokerOptions, connectBroker, userOf } from "@holdfast/messaging";
import {
  byteBudget,
  disposableStack,
  type Failpoint,
  foundTracing,
  type Logger,
  type Metrics,
  noMetrics,
  type Reading,
  repeat,
  type ServerAccess,
  type Tracing,
} from "@holdfast/runtime";
import { agentMetrics } from "../metrics/agent-metrics.ts";
import { cancelAttempts } from "../serve/cancel-attempts.ts";
import { outputRoom } from "../serve/output-room.ts";
import { longRequestBytes } from "../serve/perform-request.ts";
import type { ServedAgent } from "../serve/serve-agent.ts";
import type { HostedAgent } from "./host.ts";
import { sendHeartbeats, sendLeave } from "./send-heartbeats.ts";

/** How to reach RabbitMQ, and whom to trust there. */
export interface AgentBroker {
  /** An AMQP URL, or what the process knows of its broker already. */
  readonly url: string | ServerAccess;
  /**
   * `passive`: operators own queues and exchanges, and nothing is declared. `declare` unless said
   * otherwise.
   */
  readonly topology?: "declare" | "passive";
  /** The largest message that is read, in bytes. 1 MiB unless said otherwise. */
  readonly maxMessageBytes?: number;
  /**
   * The broker users whose requests are performed. Unless set, `scheduler` and the user of `url`.
   * Null: requests of every user, also those that name none.
   */
  readonly schedulerUsers?: readonly string[] | null;
}

/** What of a logger is used, as pino has it: facts first, then a constant message. */
export interface AgentLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface StartAgentsOptions {
  /** An AMQP URL, or an object that says more. */
  readonly broker: string | AgentBroker;
  readonly agents: readonly HostedAgent[];
  /** Gets what happens, as pino would. Nothing is logged unless it is given. */
  readonly logger?: AgentLogger;
  /** Stops the Agents. */
  readonly signal?: AbortSignal;
  /**
   * How many steps each Agent performs at the same time, unless the Agent says so itself. 100 by
   * default.
   */
  readonly concurrency?: number;
  /** Whether messages may carry several requests or replies. True by default. */
  readonly bundling?: boolean;
  /** The name of this instance in heartbeats and connections. A new one by default. */
  readonly instance?: string;
  /** Lets a test stop the process between two durable steps. */
  readonly failpoint?: Failpoint;
  /** What measures attempts, slots and messages; nothing unless given. */
  readonly metrics?: Metrics;
  /**
   * The receiver of spans. By default the OpenTelemetry that this process has started, if it has.
   */
  readonly tracing?: Tracing;
}

/**
 * Agents that consume. Disposing stops them: they take nothing more and finish what is in progress.
 */
export interface RunningAgents extends AsyncDisposable {
  readonly instance: string;
  /** Whether the broker can be reached now. A lost connection comes back by itself. */
  readonly isReady: boolean;
  /** Resolves once the Agents have stopped. Rejects when they could not be stopped in order. */
  readonly stopped: Promise<void>;
}

const silent = (): void => {};
const noLogger: AgentLogger = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * Runs Agents inside any process. Reads no environment, handles no signal of the process and never
 * ends it. Resolves once all Agents consume. Throws what `connectBroker` throws when the broker
 * cannot be reached, and `agent.duplicate` when two Agents have one name.
 */
export async function startAgents(options: StartAgentsOptions): Promise<RunningAgents> {
  const { agents, logger = noLogger, signal, concurrency = 100, bundling = true } = options;
  const { instance = newInstance(), failpoint = silent, metrics = noMetrics } = options;
  const { url, schedulerUsers } = brokerOf(options.broker);
  const log = logger as unknown as Logger;
  refuseDuplicates(agents);
  signal?.throwIfAborted();
  await using stack = disposableStack();
  const broker = stack.use(await connect(options, { name: instance, log, metrics }));
  const userId = userOf(typeof url === "string" ? url : url.url);
  const requesters = requestersOf(schedulerUsers, userId);
  const { tracing = await foundTracing() } = options;
  const memory = byteBudget(longRequestBytes);
  const seams = { log, failpoint, metrics, tracing, memory, outputs: outputRoom() };
  const serving = { broker, concurrency, userId, requesters, bundling, ...seams };
  const served = await Promise.all(agents.map((agent) => agent.serve(serving)));
  measureAgents(served, metrics);
  stack.use(together(served));
  stack.use(await broker.listen(cancelExchange, cancelAttempts(served, log)));
  const closing = new AbortController();
  const beating = { broker, served, instance, userId };
  // After the last heartbeat, and before anything stops consuming. Without it, silence tells the
  // same.
  stack.defer(() => void sendLeave(beating).catch(silent));
  const beat = sendHeartbeats(beating);
  const beats = stack.use(
    repeat(beat, { name: "heartbeats", signal: closing.signal, log, metrics }),
  );
  for (const agent of served) agent.onChange(beats.wake);
  stack.defer(() => closing.abort());
  signal?.throwIfAborted();
  const owned = stack.move();

  const end = Promise.withResolvers<void>();
  // The caller that disposes gets the error; `stopped` alone must not end the process.
  end.promise.catch(silent);
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= owned.disposeAsync().then(end.resolve, (error: unknown) => {
      log.error({ err: error, instance }, "agent shutdown failed");
      end.reject(error);
    });
    return stopping;
  };
  stopOnAbort(signal, stop, end.promise);
  return {
    instance,
    get isReady() {
      return broker.isReady;
    },
    stopped: end.promise,
    [Symbol.asyncDispose]: () => stop().then(() => end.promise),
  };
}

/** Connects, and declares what these Agents need. */
function connect(
  { broker, agents, signal }: StartAgentsOptions,
  named: Pick<BrokerOptions, "name" | "log" | "metrics">,
): Promise<Broker> {
  const { url, topology = "declare", maxMessageBytes } = brokerOf(broker);
  return connectBroker({
    ...named,
    url,
    topology,
    agents: agents.map(({ name }) => name),
    ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Stops when the caller's signal aborts, and lets go of the signal once stopped. */
function stopOnAbort(
  signal: AbortSignal | undefined,
  stop: () => Promise<void>,
  stopped: Promise<void>,
): void {
  const onAbort = () => void stop();
  signal?.addEventListener("abort", onAbort, { once: true });
  stopped.finally(() => signal?.removeEventListener("abort", onAbort)).catch(silent);
}

const brokerOf = (broker: string | AgentBroker): AgentBroker =>
  typeof broker === "string" ? { url: broker } : broker;

const newInstance = (): string =>
  `agents-${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`;

/** The users whose requests are performed; null: those of every user are. */
function requestersOf(
  users: readonly string[] | null | undefined,
  ownUser: string,
): ReadonlySet<string> | null {
  return users === null ? null : new Set(users ?? ["scheduler", ownUser]);
}

/** Two Agents of one name would compete for the requests of one queue. */
export function refuseDuplicates(agents: readonly Pick<HostedAgent, "name">[]): void {
  const names = agents.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new PermanentFault(
    "agent.duplicate",
    `Two Agents are named ${twice}: give each Agent of one process a name of its own`,
  );
}

/**
 * Released all at once: while one Agent finishes what is in progress, no other takes anything new.
 */
const together = (all: readonly AsyncDisposable[]): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  },
});

const circuitStates = { closed: 0, "half-open": 1, open: 2 } as const;

/** Exposes the slots and the circuit of each Agent. */
function measureAgents(
  served: readonly Pick<ServedAgent, "name" | "concurrency" | "health">[],
  metrics: Metrics,
): void {
  const each = (read: (one: (typeof served)[number]) => number) => (): readonly Reading[] =>
    served.map((one) => [read(one), one.name]);
  metrics.read(
    agentMetrics.slots,
    each(({ concurrency }) => concurrency),
  );
  metrics.read(
    agentMetrics.busySlots,
    each(({ health }) => health().busy),
  );
  metrics.read(
    agentMetrics.circuit,
    each(({ health }) => circuitStates[health().breaker]),
  );
}
