import { limits, requestExchange, StepRequest } from "@holdfast/contracts";
import { ContractFault, fromTraceText, type Milliseconds } from "@holdfast/domain";
import type { Broker } from "@holdfast/messaging";
import {
  byteBudget,
  type Clock,
  type Failpoint,
  failureLog,
  type Logger,
  noTracing,
  type Reservation,
  type Tracing,
  traceFields,
} from "@holdfast/runtime";
import {
  type ClaimedStep,
  type ReportedTaskEvent,
  type SchedulerStore,
  unusableTasks,
} from "@holdfast/state-store";
import type { Observer } from "../observer.ts";
import { bundleSizeOf } from "../state/requests.ts";
import { type BuiltRequest, buildRequests, type RequestStore } from "./build-requests.ts";
import { traceAttempt } from "./trace-attempt.ts";
import type { UnfitContracts } from "./unfit-contracts.ts";

type Sendable = Extract<BuiltRequest, { body: unknown }>;

interface PublishDependencies extends Observer {
  readonly broker: Pick<Broker, "publish">;
  /** The queue that Agents reply to. */
  readonly replyTo: () => string;
  /**
   * The user of our connection: Agents take requests only from Schedulers, and the broker vouches
   * for it.
   */
  readonly userId: string;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  /** The largest request that Agents read. */
  readonly maxMessageBytes?: number | undefined;
  /** The tracing of requests; none unless given. */
  readonly tracing?: Tracing;
}

interface DispatchDependencies extends PublishDependencies {
  readonly store: RequestStore;
  readonly apply: SchedulerStore["applyEvents"];
  readonly actor: string;
  readonly unfit: UnfitContracts;
}

/** How a step was claimed. */
interface Claiming {
  /** The instant on our monotonic clock when the claim began. */
  readonly claimedAt: Milliseconds;
  /** Another Scheduler claimed it, and its request may be lost. */
  readonly isResend: boolean;
}

/**
 * Bytes that this process has in memory for requests: values that are parsed, as JSON, which take
 * up to fifteen times that, and requests that the broker has not confirmed. Neither waits for the
 * other while it has room.
 */
const mostBytes = { values: 2 * 1024 * 1024, requests: 8 * 1024 * 1024 };

/**
 * Publishes claimed steps. The claim is committed: should anything go wrong from here on, the row
 * says what was meant, and any Scheduler resends or requeues it.
 */
export function dispatchSteps(deps: DispatchDependencies) {
  const { apply, see, log, failpoint, actor, clock, tracing = noTracing } = deps;
  const publish = requestPublisher(deps);
  const refuse = async (reportedEvents: readonly ReportedTaskEvent[]): Promise<void> => {
    if (reportedEvents.length === 0) return;
    const { outcomes } = await apply(reportedEvents, { actor });
    const taskIds = unusableTasks(reportedEvents, outcomes);
    if (taskIds.length > 0) log.error({ taskIds }, "task decisions failed");
  };

  const values = byteBudget(mostBytes.values);
  const requests = byteBudget(mostBytes.requests);

  /** Resolves when all are in `published`, or refused because there is nothing to publish. */
  const buildAndPublish = async (
    claims: readonly ClaimedStep[],
    how: Claiming,
    published: Promise<ReportedTaskEvent | null>[],
  ): Promise<void> => {
    const refused: Extract<BuiltRequest, { fault: unknown }>[] = [];
    const send = (built: Sendable, room: Reservation): void =>
      void published.push(holding(room, publish(built, how)));
    const handOver = (built: BuiltRequest): Promise<void> | undefined => {
      if ("fault" in built) return void refused.push(built);
      const { length } = built.body;
      const room = requests.tryReserve(length);
      if (room !== null) {
        send(built, room);
        return;
      }
      // The broker is waited for, and what is built meanwhile waits with it.
      return requests.reserve(length).then((later) => send(built, later));
    };
    await buildRequests(claims, { ...deps, memory: values, handOver });
    for (const { claim, fault } of refused) {
      const { isResend, claimedAt } = how;
      const trace = traceAttempt(tracing, { claim, isResend, age: clock.now() - claimedAt });
      trace?.end({ "error.type": fault.code });
    }
    await refuse(refused.map(unbuildable));
  };

  return async (
    claims: readonly ClaimedStep[],
    claimedAt: number,
    { isResend = false }: { readonly isResend?: boolean } = {},
  ): Promise<void> => {
    see({ kind: "building", claims });
    const published: Promise<ReportedTaskEvent | null>[] = [];
    try {
      await buildAndPublish(claims, { claimedAt, isResend }, published);
    } finally {
      see({ kind: "built", claims });
      // Those that were published before a part that could not be loaded, too.
      const returned = (await Promise.all(published)).filter((event) => event !== null);
      failpoint("scheduler.published", () => claims.map(({ name }) => name));
      await refuse(returned);
    }
  };
}

/** Gives the room back once the work is done, or has failed. */
async function holding<Result>(room: Reservation, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } finally {
    room[Symbol.dispose]();
  }
}

/**
 * Publishes the request of one claimed step. Resolves to the event that it reports; null: it was
 * sent, or may have been.
 */
function requestPublisher(deps: PublishDependencies) {
  const { broker, state, see, replyTo, userId, clock, log, failpoint } = deps;
  const { maxMessageBytes = limits.messageBytes, tracing = noTracing } = deps;
  // A broker that blocks its publishers confirms nothing for as long: the metric of messages counts
  // each.
  const unconfirmed = failureLog(clock);

  return async (
    { claim, body, undoes }: Sendable,
    { claimedAt, isResend }: Claiming,
  ): Promise<ReportedTaskEvent | null> => {
    // What is left of the time to start, as the state store counts it: no host's clock is asked.
    const age = clock.now() - claimedAt;
    const left = claim.startBy - claim.now - age;
    const trace = traceAttempt(tracing, { claim, isResend, age, undoes });
    const refuse = (event: ReportedTaskEvent, code: string): ReportedTaskEvent => {
      trace?.end({ "error.type": code });
      return event;
    };
    if (left <= 0) return refuse(neverStarted(claim), "step.never_started");
    if (body.length > maxMessageBytes) {
      const event = tooLarge(claim, body.length, maxMessageBytes);
      return refuse(event, "step.request_too_large");
    }
    see({ kind: "publishing", claim, claimedAt });
    const message = {
      exchange: requestExchange,
      routingKey: claim.agent,
      type: StepRequest.type,
      messageId: `${claim.taskId}:${claim.name}:${claim.attempt}`,
      correlationId: claim.taskId,
      replyTo: replyTo(),
      userId,
      isUrgent: claim.priority === "urgent",
      expirationMs: Math.ceil(left),
      body,
      // Requests to one Agent that are as urgent share a message.
      bundle: {
        key: `${claim.agent} ${claim.priority} ${timeLeft(left)}`,
        most: bundleSizeOf(state.requests, claim.agent),
      },
    };
    const span = trace?.send(message);
    const publishing = broker.publish(
      span === undefined ? message : { ...message, trace: span.context },
    );
    failpoint("scheduler.publishing", () => [claim.name]);
    const result = await publishing;
    const ended = result === "stored" ? {} : { "error.type": result };
    span?.end(ended);
    trace?.end(ended);
    see({ kind: result === "stored" ? "confirmed" : "unpublished", token: claim.token });
    if (result === "stored") unconfirmed.succeeded();
    const failures = result === "unknown" ? unconfirmed.failed(result) : null;
    if (failures !== null) log.warn({ ...fieldsOf(claim), failures }, "request not confirmed");
    if (result !== "unroutable") return null;
    log.warn(fieldsOf(claim), "request unroutable");
    return neverStarted(claim);
  };
}

/**
 * Requests of one message expire together, so none shares it with one that has less than half of
 * its time.
 */
const timeLeft = (left: number): number => Math.ceil(Math.log2(left));

const fieldsOf = ({ taskId, name: step, attempt, agent, traceContext = null }: ClaimedStep) => ({
  taskId,
  step,
  attempt,
  agent,
  ...traceFields(fromTraceText(traceContext)),
});

const attemptOf = ({ name: step, attempt, token }: ClaimedStep) => ({ step, attempt, token });

/** The request reached no queue. */
const neverStarted = (claim: ClaimedStep): ReportedTaskEvent => ({
  taskId: claim.taskId,
  event: { kind: "neverStarted", unsent: true, ...attemptOf(claim) },
});

/** The templates of a workflow may make much of little: no Agent would read it. */
const tooLarge = (claim: ClaimedStep, bytes: number, most: number): ReportedTaskEvent =>
  unbuildable({
    claim,
    fault: new ContractFault(
      "step.request_too_large",
      `The request is ${bytes} bytes long, of at most ${most} (MAX_MESSAGE_BYTES)`,
    ),
  });

/**
 * Nothing was sent, and nothing would be next time: for good, and without effect. For want of a
 * value nothing is counted or undone: the task halts.
 */
const unbuildable = ({
  claim,
  fault: { code, message },
}: Extract<BuiltRequest, { fault: unknown }>): ReportedTaskEvent => ({
  taskId: claim.taskId,
  faultDetail: message,
  event:
    code === "step.input_unresolvable"
      ? { kind: "parked", code, unsent: true, ...attemptOf(claim) }
      : {
          kind: "failed",
          code,
          transient: false,
          attempted: true,
          effect: "none",
          retryAfter: null,
          ...attemptOf(claim),
        },
});
