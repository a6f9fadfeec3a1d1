import {
  agentQueue,
  replyExchange,
  replyRoute,
  type StepCancel,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import type { Broker, Delivery } from "@holdfast/messaging";
import { type Clock, type Failpoint, type Logger, sleep, systemClock } from "@holdfast/runtime";
import { type Agent, contract, type Operations } from "@holdfast/workflow";
import { attemptStep, type Outcome } from "./attempt-step.ts";
import type { Handlers } from "./handlers.ts";
import { bindOperations } from "./operations.ts";
import { pace } from "./pace.ts";
import { places } from "./places.ts";
import {
  type CircuitHealth,
  type Protection,
  type ProtectionOptions,
  protection,
} from "./protection.ts";

/** An Agent and the code behind it, ready to be run. */
export interface HostedAgent {
  readonly name: string;
  serve(options: ServeOptions): Promise<ServedAgent>;
}

/** An Agent at work; disposing takes no more and finishes what is in hand. */
export interface ServedAgent extends AsyncDisposable {
  readonly name: string;
  /** Tells the handler of this attempt, if it is in hand here, to stop. */
  cancel(attempt: StepCancel): void;
  /** How many steps are in hand, and how the remote service does. */
  health(): CircuitHealth & { readonly inFlight: number };
}

interface ServeOptions {
  readonly broker: Pick<Broker, "publish" | "consume">;
  /** How many steps are done at a time. */
  readonly concurrency: number;
  /** The user of our connection: the broker vouches for it in every reply. */
  readonly userId: string;
  /** The broker users whose requests are taken; null: all. */
  readonly requesters: ReadonlySet<string> | null;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly clock?: Clock;
}

/**
 * How many more requests may be here than are worked at, for those whose reply is on its way to the
 * broker: otherwise a place would be empty from the end of each call until the next request is here.
 * No more than that, for what waits here is taken from other instances; an Agent that does few steps
 * at a time does long ones.
 */
const spare = (concurrency: number): number => Math.floor(concurrency / 5);

/** How many replies go in one message: no more than a Scheduler takes into one batch. */
const mostReplies = 100;

/** Milliseconds between two attempts to get a reply out. */
const replyRest = 50;

/** Puts an Agent and its handlers together. All its instances in one process share one protection. */
export const host = <O extends Operations>(
  agent: Agent<O>,
  handlers: Handlers<Agent<O>>,
  options?: ProtectionOptions,
): HostedAgent => hostGuarded(agent, handlers, protection(options));

/** Like `host`, with a protection of one's own around the remote service. */
export function hostGuarded<O extends Operations>(
  agent: Agent<O>,
  handlers: Handlers<Agent<O>>,
  guard: Protection,
): HostedAgent {
  const { name, operations } = agent[contract];
  const bound = bindOperations(operations, handlers);

  return {
    name,
    async serve({ broker, concurrency, userId, requesters, log, failpoint, clock = systemClock }) {
      /** A relay or a redelivery of what is running here is dropped: it is the same request. */
      const running = new Map<string, Running>();
      const atWork = places(concurrency, clock);
      const calls = pace({ concurrency, clock });

      const attemptOnce = async (
        { request, delivery }: Received,
        signals: Signals,
      ): Promise<Outcome | null> => {
        const requester = delivery.userId;
        if (requesters?.has(requester ?? "") === false) {
          log.error({ agent: name, taskId: request.taskId, requester }, "request refused");
          return refusalOf(requester);
        }
        const leave = await atWork.take(signals.stop, request.workMs - marginOf(request));
        if (leave === null && !signals.stop.aborted) return noSlot;
        const worked = calls.begin();
        const { taskId, step, attempt } = request;
        const fields = { agent: name, taskId, step, attempt, operation: request.operation };
        const attempting = attemptStep(request, {
          operation: bound.get(request.operation),
          protection: guard,
          onUnexpected: (err) => log.error({ ...fields, err }, "handler threw"),
          ...signals,
        });
        const outcome = await attempting.finally(() => leave?.());
        if (outcome?.kind === "completed") worked();
        return outcome;
      };

      const answer = async (received: Received, signals: Signals): Promise<void> => {
        const { request, delivery, isRepeated } = received;
        const { signal } = signals;
        const { taskId, step, attempt, token } = request;
        const fields = { agent: name, taskId, step, attempt, operation: request.operation };
        const steps = () => [step];
        failpoint("agent.received", steps);
        const outcome = await attemptOnce(received, signals);
        failpoint("agent.worked", steps);
        if (outcome === null) return log.warn(fields, "step abandoned");
        const isDoubtful = isRefusal(outcome) && !(await settleFirst(delivery, request, clock));
        const reply = { taskId, step, attempt, token, takes: calls.inOneMessage() };
        let queue = delivery.replyTo;
        const sent = await publishUntil({ signal, clock }, async () => {
          const publishing = broker.publish({
            exchange: replyExchange,
            routingKey: replyRoute(name, taskId, queue),
            type: StepReply.type,
            messageId: `${taskId}:${step}:${attempt}`,
            correlationId: taskId,
            userId,
            body: StepReply.encode({
              ...reply,
              outcome: withDelivery(outcome, isDoubtful || isRepeated()),
            }),
            bundle: { key: `${name} ${queue}`, most: mostReplies },
          });
          failpoint("agent.replying", steps);
          const result = await publishing;
          // Nobody has that queue any more: it may come to whichever Scheduler.
          if (result === "unroutable") queue = undefined;
          return result;
        });
        failpoint("agent.replied", steps);
        const code = outcome.kind === "failed" ? { faultCode: outcome.code } : {};
        if (sent) log.debug({ ...fields, outcome: outcome.kind, ...code }, "step answered");
        else log.warn(fields, "reply not sent");
      };

      const handle = async (delivery: Delivery): Promise<void> => {
        const request = read(delivery, name, log);
        if (request === null) return;
        const id = idOf(request);
        const known = running.get(id);
        if (known !== undefined) {
          known.isRepeated = true;
          return;
        }
        const [deadline, stop] = [new AbortController(), new AbortController()];
        const attempt: Running = {
          token: request.token,
          isRepeated: false,
          stop: () => stop.abort(),
        };
        running.set(id, attempt);
        const cancel = clock.after(request.workMs, () => {
          deadline.abort();
          stop.abort();
        });
        const isRepeated = () =>
          delivery.redelivered || !delivery.isCurrent() || attempt.isRepeated;
        try {
          await answer(
            { request, delivery, isRepeated },
            { signal: deadline.signal, stop: stop.signal },
          );
        } finally {
          cancel();
          attempt.stop = null;
          running.delete(id);
        }
      };

      const prefetch = concurrency + spare(concurrency);
      const consumer = await broker.consume(agentQueue(name), { prefetch }, handle);
      return {
        name,
        cancel(attempt) {
          const found = running.get(idOf(attempt));
          if (found?.token === attempt.token) found.stop?.();
        },
        health: () => ({ ...guard.health(), inFlight: running.size }),
        [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose](),
      };
    },
  };
}

/** An attempt in hand. */
interface Running {
  readonly token: string;
  /** Whether the same request came a second time meanwhile. */
  isRepeated: boolean;
  /**
   * Null when it is over: what has left a map may live on for a while with a table that the map has
   * outgrown, and all that this leads to with it (decision 0037).
   */
  stop: (() => void) | null;
}

interface Received {
  readonly request: StepRequest;
  readonly delivery: Delivery;
  /** Whether the broker delivered the request before, or is delivering it again. */
  readonly isRepeated: () => boolean;
}

/** Milliseconds. Longer than a wrong setting should take the Schedulers' time, and short for who mends it. */
const refusedFor = 5_000;

/**
 * The step is put back and not undone: if the setting is wrong, orders wait until it is right. The reply to
 * a forged request is refused like any that nobody waits for, and kept.
 */
const refusalOf = (requester: string | undefined): StepReply["outcome"] => ({
  kind: "failed",
  code: "agent.request_refused",
  message:
    requester === undefined
      ? "The request names no broker user: the Scheduler is of a release that did not, or REQUEST_IDENTITY should be trusted."
      : `SCHEDULER_USERS does not allow requests of the broker user ${requester}.`,
  transient: true,
  attempted: false,
  effect: "none",
  retryAfterMs: refusedFor,
});

/** Milliseconds before the deadline by which a request must have got a slot to be begun. */
const marginOf = ({ workMs }: StepRequest): number => Math.min(1_000, workMs / 5);

/** The answer to a request that got no slot: it was not tried, so it is no failure of its step. */
const noSlot: Outcome = {
  kind: "failed",
  code: "agent.no_slot",
  message: "All slots of the Agent were busy until shortly before the deadline",
  transient: true,
  attempted: false,
  effect: "none",
};

/** Nothing was called, and nothing would be next time: the contract does not allow the request. */
const isRefusal = (outcome: Outcome): boolean =>
  outcome.kind === "failed" && outcome.attempted === false && !outcome.transient;

/**
 * Acknowledges a request before it is refused: should we die in between, nobody carries it out after the
 * Scheduler was told that it had no effect. False: others that came in the same message are not done in
 * time, so all of it may be delivered again.
 */
async function settleFirst(
  delivery: Delivery,
  request: StepRequest,
  clock: Clock,
): Promise<boolean> {
  delivery.ack();
  const inTime = new AbortController();
  const settled = delivery.whenSettled().then(() => true);
  const tooLate = sleep(clock, request.workMs - marginOf(request), inTime.signal);
  return Promise.race([settled, tooLate.then(() => false)]).finally(() => inTime.abort());
}

/** A failure says as well whether its `effect` may be true of this delivery only. */
const withDelivery = (outcome: Outcome, redelivered: boolean): Outcome =>
  outcome.kind === "failed" ? { ...outcome, redelivered } : outcome;

interface Signals {
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** Aborts at the deadline, or when the step need not be finished. */
  readonly stop: AbortSignal;
}

const idOf = ({ taskId, step, attempt }: Pick<StepRequest, "taskId" | "step" | "attempt">) =>
  `${taskId} ${step} ${attempt}`;

/** What nobody can read goes to the dead letters at once: trying again would not help. */
function read(delivery: Delivery, agent: string, log: Logger): StepRequest | null {
  try {
    const request = StepRequest.decode(delivery.body);
    if (request.agent === agent) return request;
    throw new ContractFault("message.misrouted", `A request for ${request.agent} came to ${agent}`);
  } catch (err) {
    log.error({ err, messageId: delivery.messageId }, "request unreadable");
    delivery.reject();
    return null;
  }
}

/** Until the deadline a reply is worth another try; after it nobody may say anything. */
async function publishUntil(
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
  publish: () => Promise<string>,
): Promise<boolean> {
  while (!signal.aborted) {
    if ((await publish()) === "stored") return true;
    await sleep(clock, replyRest, signal);
  }
  return false;
}
