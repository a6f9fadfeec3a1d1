import { agentQueue, type StepCancel, type StepRequest } from "@holdfast/contracts";
import type { Broker, Delivery } from "@holdfast/messaging";
import {
  type ByteBudget,
  type Clock,
  type Failpoint,
  failureLog,
  type Logger,
  type Metrics,
  noMetrics,
  noTracing,
  processSpan,
  type Span,
  type SpanAttributes,
  systemClock,
  type Tracing,
} from "@holdfast/runtime";
import type { Outcome } from "../attempt/attempt-step.ts";
import type { CircuitHealth, ResiliencePolicy } from "../attempt/resilience-policy.ts";
import type { Progress } from "../contract/handlers.ts";
import type { BoundOperation } from "../contract/operations.ts";
import { agentMetrics } from "../metrics/agent-metrics.ts";
import { type AttemptSigns, attemptSigns, type SignedAttempt } from "./attempt-signs.ts";
import { bundlingBy, noBundling } from "./bundling.ts";
import { type LongAttempts, longAttempts } from "./long-attempts.ts";
import { type OutputRoom, outputRoom } from "./output-room.ts";
import { requestPerformer } from "./perform-request.ts";
import { prefetchByBreaker } from "./prefetch-by-breaker.ts";
import {
  type AttemptSignals,
  logFieldsOf,
  type ReceivedRequest,
  readRequest,
} from "./received-request.ts";
import { acknowledgeBeforeRefusal, isRefusal } from "./refusals.ts";
import { type RunningAttempts, runningAttempts } from "./running-attempts.ts";
import { type PreparedReply, prepareReply, replySender } from "./send-reply.ts";

/**
 * An Agent that is consuming; disposing stops its consumer and finishes the requests in progress.
 */
export interface ServedAgent extends AsyncDisposable {
  readonly name: string;
  /** How many steps it performs at the same time. */
  readonly concurrency: number;
  /** The names of all that it performs, undos included. */
  readonly operations: readonly string[];
  /** The hashes of their contracts, in the same order; empty: there is none. */
  readonly contracts: readonly string[];
  /** Tells the handler of this attempt, if it runs here, to stop. */
  cancel(attempt: StepCancel): void;
  /**
   * How many steps are in progress, how many of them have a slot, and how the remote service is
   * doing.
   */
  health(): CircuitHealth & { readonly inFlight: number; readonly busy: number };
  /** Calls `listener` each time the breaker has changed. */
  onChange(listener: () => void): void;
}

export interface ServeOptions {
  readonly broker: Pick<Broker, "publish" | "consume" | "inspect">;
  /** How many steps are performed at the same time. */
  readonly concurrency: number;
  /** The user of the connection: the broker vouches for it in every reply. */
  readonly userId: string;
  /** The broker users whose requests are performed; null: all. */
  readonly requesters: ReadonlySet<string> | null;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly clock?: Clock;
  /** Returns a number in [0, 1), for jitter. `Math.random` unless given. */
  readonly random?: () => number;
  /** Whether messages may carry several requests or replies; true unless said otherwise. */
  readonly bundling?: boolean;
  /** What counts attempts; nothing unless given. */
  readonly metrics?: Metrics;
  /**
   * Room for the payloads of long requests, which the Agents of one process share. One of its own
   * unless given.
   */
  readonly memory?: ByteBudget;
  /** Room for what handlers return; all Agents of a process share it. */
  readonly outputs?: OutputRoom;
  /** The tracing of attempts; none unless given. */
  readonly tracing?: Tracing;
}

interface AgentCode {
  readonly name: string;
  readonly operations: ReadonlyMap<string, BoundOperation>;
  readonly resiliencePolicy: ResiliencePolicy;
}

/**
 * How many more requests are prefetched than performed, for those whose reply is on its way to the
 * broker: otherwise a slot would be empty from the end of each call until the next request is here.
 * No more than that, because other instances cannot take what waits here; an Agent with few slots
 * has long calls.
 */
const spare = (concurrency: number): number => Math.floor(concurrency / 5);

interface HandlerOptions {
  readonly agent: string;
  readonly running: RunningAttempts;
  readonly signs: AttemptSigns;
  readonly long: LongAttempts;
  readonly answer: (received: ReceivedRequest, signals: AttemptSignals) => Promise<void>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly tracing: Tracing;
}

/** Reads each request, and has it answered until its deadline. */
const requestHandler =
  ({ agent, running, signs, long, answer, log, clock, tracing }: HandlerOptions) =>
  async (delivery: Delivery): Promise<void> => {
    const request = readRequest(delivery, agent, log);
    if (request === null) return;
    const [end, stop] = [new AbortController(), new AbortController()];
    // A resend or a redelivery of what runs here is dropped: it is the same request.
    const attempt = running.add(request, () => stop.abort());
    if (attempt === null) return;
    const deadline = attemptDeadline(request, clock, () => {
      end.abort();
      stop.abort();
    });
    const kept = long.begin(request, delivery);
    const listeners = { onAnnounced: kept.announced, onHeartbeat: deadline.extend };
    const signed = beginLater(() => signs.add(request, listeners));
    const isRepeated = () => delivery.redelivered || !delivery.isCurrent() || attempt.isRepeated;
    const span = requestSpan(tracing, request, delivery);
    const received = { request, delivery, isRepeated, span };
    try {
      const { begun, beat } = signed;
      const work = () => answer(received, { signal: end.signal, stop: stop.signal, begun, beat });
      await (span === null ? work() : span.run(work));
    } finally {
      span?.end();
      deadline.cancel();
      signed.end();
      kept.end();
      running.remove(request, attempt);
    }
  };

/**
 * The signs of an attempt, which begin once it has its slot. What waits for one is not said to run,
 * nor acknowledged early: should this process die, another one begins it.
 */
function beginLater(add: () => SignedAttempt) {
  let signed: SignedAttempt | null = null;
  return {
    begun: (): void => void (signed = add()),
    beat: (progress: Progress): void => signed?.beat(progress),
    end: (): void => signed?.end(),
  };
}

type PerformerOptions = Parameters<typeof requestPerformer>[0] &
  Pick<AgentCode, "name"> & { readonly outputs: OutputRoom };

/** A reply, and the room that it takes until it is sent. */
interface Performed extends Disposable {
  /** The reply; null: the deadline has passed. */
  readonly reply: PreparedReply | null;
  readonly outcome: PreparedReply["outcome"] | null;
}

/** Performs requests with room for what they return, which is written at once. */
function performerWithin(options: PerformerOptions) {
  const { name, operations, outputs, bundling } = options;
  const performer = requestPerformer(options);
  const perform = async (
    received: ReceivedRequest,
    signals: AttemptSignals,
  ): Promise<Performed> => {
    const { request } = received;
    const operation = `${name} ${request.operation}`;
    const room = await outputs.reserve(operation, signals.stop);
    const release = (): void => room?.[Symbol.dispose]();
    try {
      const reply = await performer
        .perform(received, signals)
        .then((found) => found && prepareReply(found, { request, bundling }));
      const bytes = reply?.body?.length ?? 0;
      // Anyone may name an operation that there is not.
      if (operations.has(request.operation)) outputs.returned(operation, bytes);
      room?.shrinkTo(bytes);
      return { reply, outcome: reply?.outcome ?? null, [Symbol.dispose]: release };
    } catch (error) {
      release();
      throw error;
    }
  };
  return { ...performer, perform };
}

/** Consumes the queue of one Agent: performs each request and answers it before its deadline. */
export async function serveAgent(agent: AgentCode, options: ServeOptions): Promise<ServedAgent> {
  const { name, resiliencePolicy: policy } = agent;
  const { broker, concurrency, log, failpoint, clock = systemClock } = options;
  const { tracing = noTracing, outputs = outputRoom((act) => clock.after(0, act)) } = options;
  const running = runningAttempts();
  const bundling = options.bundling === false ? noBundling : bundlingBy({ concurrency, clock });
  const prefetch = concurrency + spare(concurrency);
  const breaker = prefetchByBreaker({
    policy,
    full: prefetch,
    countOthers: async () => (await broker.inspect(agentQueue(name)))?.consumers ?? 0,
    onOpen: () => dismissWaiting(),
    clock,
    random: options.random ?? Math.random,
  });
  const parts = { ...options, ...agent, bundling, breaker, outputs, clock, tracing };
  const { perform, busy, dismissWaiting } = performerWithin(parts);
  const attempted = measureAttempts(name, options.metrics ?? noMetrics);
  const signs = attemptSigns({ ...options, agent: name, clock });
  const send = replySender({ ...parts, agent: name, onLost: signs.lost });

  const answer = async (received: ReceivedRequest, signals: AttemptSignals): Promise<void> => {
    const fields = logFieldsOf(received.request);
    const steps = () => [received.request.step];
    failpoint("agent.received", steps);
    const from = clock.now();
    using performed = await perform(received, signals);
    const { reply, outcome } = performed;
    attempted(outcome, clock.now() - from);
    failpoint("agent.worked", steps);
    received.span?.set(attributesOf(outcome));
    if (reply === null || outcome === null) return log.warn(fields, "step abandoned");
    const isDoubtful =
      isRefusal(outcome) && !(await acknowledgeBeforeRefusal(received, outcome, clock));
    const sent = await send({ received, reply, isDoubtful, signal: signals.signal });
    failpoint("agent.replied", steps);
    logReply(sent, { ...fields, ...summaryOf(outcome) });
  };

  const logReply = replyLog(log, clock);
  const long = longAttempts({ concurrency, prefetch });
  const handle = requestHandler({ agent: name, running, signs, long, answer, log, clock, tracing });
  const consumer = await broker.consume(agentQueue(name), { prefetch }, handle);
  long.limitBy((most) => consumer.limit(most));
  breaker.follow(long.limit);
  return {
    name,
    concurrency,
    ...announcedOf(agent),
    cancel: (attempt) => running.cancel(attempt),
    health: () => ({ ...breaker.health(), inFlight: running.count, busy: busy() }),
    onChange: breaker.onChange,
    async [Symbol.asyncDispose]() {
      breaker[Symbol.dispose]();
      long[Symbol.dispose]();
      await endConsuming(consumer, name, log);
      signs[Symbol.dispose]();
    },
  };
}

const announcedOf = ({ operations }: AgentCode): Pick<ServedAgent, "operations" | "contracts"> => ({
  operations: [...operations.keys()],
  contracts: [...operations.values()].map(({ contract }) => contract ?? ""),
});

/** Takes nothing more, says so, and finishes what is in progress. */
async function endConsuming(
  consumer: Awaited<ReturnType<Broker["consume"]>>,
  agent: string,
  log: Logger,
): Promise<void> {
  await consumer.limit(0);
  log.info({ agent }, "consuming stopped");
  await consumer[Symbol.asyncDispose]();
}

const summaryOf = (outcome: Outcome): Readonly<Record<string, string>> => ({
  outcome: outcome.kind,
  ...(outcome.kind === "failed" ? { faultCode: outcome.code } : {}),
});

/**
 * Logs each reply that was sent, and of those in a row that were not, as many as `countFailure`
 * says.
 */
function replyLog(log: Logger, clock: Clock): (sent: boolean, fields: object) => void {
  const unsent = failureLog(clock);
  return (sent, fields) => {
    if (sent) {
      unsent.succeeded();
      return log.debug(fields, "step answered");
    }
    const failures = unsent.failed("unconfirmed");
    if (failures !== null) log.warn({ ...fields, failures }, "reply not sent");
  };
}

/**
 * A span for a request, from its delivery until its reply is sent; null: its task belongs to no
 * trace.
 */
function requestSpan(
  tracing: Tracing,
  { agent, taskId, step, attempt, operation }: StepRequest,
  delivery: Delivery,
): Span | null {
  const { trace = null } = delivery;
  if (trace === null) return null;
  const attributes = {
    "messaging.message.conversation_id": taskId,
    "holdfast.task.id": taskId,
    "holdfast.step": step,
    "holdfast.attempt": attempt,
    "holdfast.agent": agent,
    "holdfast.operation": operation,
  };
  return processSpan(tracing, { ...delivery, queue: agentQueue(agent), trace }, { attributes });
}

const faultOf = (outcome: Outcome): string | undefined =>
  outcome.kind === "failed" ? outcome.code : undefined;

/** What became of the request; null: its deadline passed first. */
const attributesOf = (outcome: Outcome | null): SpanAttributes => ({
  "holdfast.outcome": outcome?.kind ?? "abandoned",
  "error.type": outcome === null ? "deadline" : faultOf(outcome),
});

/**
 * Counts the outcome of one attempt, and how long it took; null: there was none at the deadline.
 */
type MeasureAttempt = (outcome: Outcome | null, ms: number) => void;

function measureAttempts(agent: string, metrics: Metrics): MeasureAttempt {
  const attempts = metrics.counter(agentMetrics.attempts);
  const duration = metrics.histogram(agentMetrics.duration);
  return (outcome, ms) => {
    attempts(1, agent, nameOf(outcome));
    duration(ms / 1_000, agent);
  };
}

function nameOf(outcome: Outcome | null): string {
  if (outcome === null) return "abandoned";
  if (outcome.kind !== "failed") return outcome.kind;
  if (outcome.attempted === false) return "refused";
  return outcome.transient ? "transient" : "permanent";
}

interface AttemptDeadline {
  /** The Schedulers may know that the handler was at work at this instant of the clock. */
  readonly extend: (atWorkAt: number) => void;
  cancel(): void;
}

/**
 * Calls `onEnd` at the deadline of an attempt, by the clock of this process: `workMs` after
 * receipt, or after the last heartbeat, and never later than `extendMs` after receipt. What the
 * Schedulers count from comes later than that.
 */
function attemptDeadline(
  { workMs, extendMs = workMs }: Pick<StepRequest, "workMs" | "extendMs">,
  clock: Clock,
  onEnd: () => void,
): AttemptDeadline {
  const receivedAt = clock.now();
  let endsAt = receivedAt + workMs;
  const ring = (): void => {
    const left = endsAt - clock.now();
    if (left > 0) cancel = clock.after(left, ring);
    else onEnd();
  };
  let cancel = clock.after(workMs, ring);
  return {
    extend(atWorkAt) {
      endsAt = Math.max(endsAt, Math.min(atWorkAt + workMs, receivedAt + extendMs));
    },
    cancel: () => cancel(),
  };
}
