import {
  agentOfReply,
  isProbeRoute,
  limits,
  MalformedMessage,
  ownReplyQueues,
  payloadFaultsAt,
  payloadWords,
  ReplyProbe,
  readReplyAddress,
  replyQueue,
  StepReply,
} from "@holdfast/contracts";
import {
  type AttemptRef,
  ContractFault,
  type Fault,
  fromTraceText,
  isOursAlone,
  type Milliseconds,
  parseInstant,
  type Task,
  type TaskEvent,
  type ValueFault,
} from "@holdfast/domain";
import type {
  BatchOptions,
  Broker,
  cancelHints,
  Delivery,
  SharedConsumer,
} from "@holdfast/messaging";
import {
  type Clock,
  type Failpoint,
  type Logger,
  type Tracing,
  traceFields,
} from "@holdfast/runtime";
import type {
  AppliedEvents,
  EventOutcome,
  Proof,
  RejectedReply,
  ReportedTaskEvent,
  SchedulerStore,
} from "@holdfast/state-store";
import type { StepClaims } from "../claim/claim-steps.ts";
import {
  readEach,
  traceDeliveries,
  type Unreadable,
  unreadableFields,
} from "../intake/deliveries.ts";
import type { SchedulerMeasures } from "../metrics/scheduler-measures.ts";
import type { Observer } from "../observer.ts";
import { type Remotes, serviceOfLane, takeRetry } from "../state/remotes.ts";

interface ReplyDependencies extends Observer {
  readonly store: Pick<SchedulerStore, "recordProofs" | "recordRejectedReplies">;
  readonly broker: Pick<Broker, "oldestMs">;
  readonly apply: ApplyEvents;
  readonly claims: Pick<StepClaims, "join" | "take">;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
  readonly failpoint: Failpoint;
  readonly actor: string;
  readonly identity: "required" | "trusted";
  readonly measures: Pick<SchedulerMeasures, "replied" | "rejected">;
  readonly tracing: Tracing;
  /** Tells an Agent that its reply was refused. */
  readonly refuse: ReturnType<typeof cancelHints>;
}

interface Received {
  readonly delivery: Delivery;
  readonly reply: StepReply;
  /** The Agent under whose route the broker let it through. */
  readonly agent: string;
  readonly reportedEvent: ReportedTaskEvent;
  /** Why its output is refused; null: there is none, or it is as it should be. */
  readonly outputFault: Fault | null;
  /** Whether it is no reply but for its address: unless it ends its attempt, it is unreadable. */
  readonly isMisshapen: boolean;
}

/**
 * Records a batch of replies: what counts moves its task on, what does not is kept with the reason.
 * Everything is committed before any of them is acknowledged; a reply seen twice is stale the
 * second time. Unreadable ones go to the dead letters and hold nothing up. Once a reply is applied,
 * no failure has it applied again: what is left to do about it is written down in the moment of the
 * commit.
 */
export function recordReplies(deps: ReplyDependencies) {
  const { log, identity, tracing } = deps;
  const rejections = keepRejections(deps);

  const discard = (unreadable: readonly Unreadable[]): void => {
    if (unreadable.length === 0) return;
    log.error(unreadableFields(unreadable), "reply unreadable");
    deps.measures.rejected("unreadable", unreadable.length);
    for (const { delivery } of unreadable) delivery.reject();
  };

  const readAll = async (batch: readonly Delivery[]): Promise<readonly Received[]> => {
    const { readable, unreadable } = await readEach(batch, read, deps);
    discard(unreadable);
    return readable;
  };

  /**
   * Keeps what did not count, with the reason, and tells its Agent what is wrong with what ended
   * its attempt.
   */
  const finish = (one: Received, outcome: ReplyOutcome | undefined): void => {
    const isOfNoAttempt = one.isMisshapen && outcome?.applied !== true;
    rejections.applied(one.delivery, isOfNoAttempt ? null : rejectionOf(one, outcome));
    if (isOfNoAttempt) discard([{ delivery: one.delivery, error: one.outputFault }]);
    const refused = outcome?.applied === true ? faultIn(one, outcome) : null;
    if (refused !== null) deps.refuse([refusalOf(one, refused)]);
  };

  const record = async (received: readonly Received[]): Promise<void> => {
    const [anonymous, signed] = partition(
      received,
      ({ delivery }) => identity === "required" && delivery.userId === undefined,
    );
    for (const one of anonymous) finish(one, { applied: false, reason: "no_user_id" });
    const { tasks, traces } = await applyReplies(deps, signed, ({ outcomes }) => {
      signed.forEach((one, index) => finish(one, outcomes[index]));
    });
    for (const task of tasks) logTask(log, task, traces?.get(task.taskId));
  };

  const dispositionOf = (delivery: Delivery) => ({ "error.type": rejections.reasonOf(delivery) });

  return async (batch: readonly Delivery[]): Promise<void> => {
    const [probes, replies] = partition(batch, isProbe);
    const received = await readAll(replies.filter((delivery) => !rejections.isApplied(delivery)));
    const work = async (): Promise<void> => {
      if (received.length > 0) await record(received);
      await rejections.keep(batch);
    };
    await traceDeliveries(received.map(toTraced), work, {
      tracing,
      queue: replyQueue,
      dispositionOf,
    });
    if (probes.length > 0) await recordProbes(deps, probes);
  };
}

function readProbe({ body }: Delivery): Proof {
  const { queue, sentAt } = ReplyProbe.decode(body);
  const at = parseInstant(sentAt);
  if (Number.isNaN(at)) throw new ContractFault("message.malformed", "/sentAt is no instant");
  return { queue, sentAt: at };
}
const isProbe = ({ type, routingKey }: Delivery): boolean =>
  type === ReplyProbe.type && isProbeRoute(routingKey);

/**
 * Milliseconds for which replies may be unrecorded while a probe shows that those before it are
 * recorded.
 */
const unrecordedFor = 200;

/**
 * Records that probes have come, unless replies that came before them are unrecorded: the
 * Supervisor sends others.
 */
async function recordProbes(
  deps: Pick<ReplyDependencies, "store" | "broker" | "clock" | "log">,
  probes: readonly Delivery[],
): Promise<void> {
  const { store, broker, log } = deps;
  const { readable, unreadable } = await readEach(probes, readProbe, deps);
  if (unreadable.length > 0) log.error(unreadableFields(unreadable), "probe unreadable");
  if (readable.length === 0 || broker.oldestMs(replyQueue) > unrecordedFor) return;
  await store.recordProofs(readable);
}

const toTraced = ({ delivery, reply, agent }: Received) => ({
  delivery,
  attributes: {
    "holdfast.task.id": reply.taskId,
    "holdfast.step": reply.step,
    "holdfast.attempt": reply.attempt,
    "holdfast.agent": agent,
    "holdfast.outcome": reply.outcome.kind,
  },
});

/**
 * Applies the events that replies report, and claims what they make due in the same transaction.
 * `onCommit` comes before anything that could fail.
 */
async function applyReplies(
  deps: ReplyDependencies,
  received: readonly Received[],
  onCommit: (applied: AppliedEvents) => void,
): Promise<AppliedEvents> {
  const { apply, state, see, claims, clock, failpoint, actor } = deps;
  const names = () => received.map(({ reply }) => reply.step);
  failpoint("scheduler.recording", names);
  const agents = received.map(({ agent }) => agent);
  const areUrgent = received.length > 0 && received.every(({ delivery }) => delivery.isUrgent);
  const joined = await claims.join(agents, { areUrgent });
  const events = spreadRetries(state.remotes, received, clock.now());
  const options = joined.claim === null ? { actor } : { actor, claim: joined.claim };
  const applied = await apply(events, options, onCommit);
  failpoint("scheduler.recorded", names);
  see({ kind: "replied", received, outcomes: applied.outcomes, since: joined.since });
  countReplies(deps.measures, received, applied);
  claims.take(joined, applied);
  return applied;
}

/** The events with the delays of retries that are beyond the budget of their remote services. */
const spreadRetries = (
  remotes: Remotes,
  received: readonly Received[],
  now: Milliseconds,
): readonly ReportedTaskEvent[] =>
  received.map(({ agent, reportedEvent }) => {
    const service = serviceOfLane(remotes, agent);
    return {
      ...reportedEvent,
      event: takeRetry(remotes, { service, event: reportedEvent.event }, now),
    };
  });

function countReplies(
  measures: ReplyDependencies["measures"],
  received: readonly Received[],
  { outcomes }: Pick<AppliedEvents, "outcomes">,
): void {
  for (const [index, { agent, reply }] of received.entries()) {
    if (outcomes[index]?.applied) measures.replied(agent, reply.outcome);
  }
}

/**
 * Keeps replies that did not count, and knows which deliveries must not be applied a second time.
 */
function keepRejections({
  store,
  log,
  measures,
}: Pick<ReplyDependencies, "store" | "log" | "measures">) {
  /** Deliveries that are applied, with what is to be kept of them; null: nothing. */
  const known = new WeakMap<Delivery, RejectedReply | null>();
  return {
    applied: (delivery: Delivery, rejected: RejectedReply | null): void =>
      void known.set(delivery, rejected),
    isApplied: (delivery: Delivery): boolean => known.has(delivery),
    reasonOf: (delivery: Delivery): string | undefined => known.get(delivery)?.reason,
    async keep(batch: readonly Delivery[]): Promise<void> {
      const rejected = batch.flatMap((delivery) => known.get(delivery) ?? []);
      await store.recordRejectedReplies(rejected);
      for (const one of rejected) {
        measures.rejected(one.reason);
        log.warn(fieldsOf(one), "reply rejected");
      }
    },
  };
}

function read(delivery: Delivery): Received {
  const agent = agentOfReply(delivery.routingKey) ?? "";
  const { reply, shapeFault } = readReply(delivery.body);
  const outputFault = shapeFault ?? faultOfOutput(reply);
  return {
    delivery,
    reply,
    agent,
    outputFault,
    isMisshapen: shapeFault !== null,
    reportedEvent: toReportedEvent(reply, agent, outputFault),
  };
}

/**
 * The reply; or what stands for one that is wrong, and says without doubt which attempt it is
 * about.
 */
function readReply(body: Buffer): { readonly reply: StepReply; readonly shapeFault: Fault | null } {
  try {
    return { reply: StepReply.decode(body), shapeFault: null };
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    const address = readReplyAddress(body, error);
    if (address === null) throw error;
    const { code, message } = shapeFaultOf(error);
    return {
      reply: { ...address, outcome: { kind: "failed", code, message, transient: false } },
      shapeFault: new ContractFault(code, message),
    };
  }
}

/**
 * What ends an attempt whose reply is none: an output that is not kept as it is written is that of
 * a readable reply.
 */
function shapeFaultOf({ message, changes }: MalformedMessage) {
  const output = "/outcome/output";
  const isOutput = ({ pointer }: ValueFault): boolean =>
    pointer === output || pointer.startsWith(`${output}/`);
  if (changes.length === 0 || !changes.every(isOutput)) {
    return { code: "step.reply_invalid", message } as const;
  }
  const [first] = changes.map(({ pointer, detail }) => ({
    pointer: pointer.slice(output.length),
    detail,
  }));
  const words = `The output ${payloadWords(first === undefined ? [] : [first])}`;
  return { code: "step.output_unstorable", message: words } as const;
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): readonly [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => (test(one) ? "yes" : "no"));
  return [yes, no];
}

/** What became of a reply; `no_user_id`: the broker does not vouch for its sender. */
type ReplyOutcome = EventOutcome | { readonly applied: false; readonly reason: "no_user_id" };

/** What is wrong with a reply that ended its attempt; null: nothing. */
const faultIn = (
  { outputFault }: Received,
  outcome: Extract<EventOutcome, { applied: true }>,
): Fault | null => outputFault ?? outcome.outputFault ?? null;

function rejectionOf(received: Received, outcome: ReplyOutcome | undefined): RejectedReply | null {
  if (outcome === undefined) return null;
  const reason = outcome.applied ? faultIn(received, outcome)?.code : outcome.reason;
  return reason === undefined ? null : toRejected(received, reason);
}

const refusalOf = ({ reply, agent }: Received, { code, message: reason }: Fault) => {
  const { taskId, step, attempt, token } = reply;
  return { taskId, step, attempt, token, refused: { agent, code, reason } };
};

/**
 * The body is kept as it came: to write it out once more could fail, and would lose what was not
 * understood.
 */
const toRejected = ({ delivery, reply }: Received, reason: string): RejectedReply => ({
  taskId: reply.taskId,
  step: reply.step,
  attempt: reply.attempt,
  reason,
  sender: delivery.userId ?? null,
  body: delivery.body,
});

const fieldsOf = ({ taskId, step, attempt, reason }: RejectedReply) => ({
  taskId,
  step,
  attempt,
  reason,
});

function logTask(log: Logger, { taskId, processState, faultCode }: Task, traceContext = ""): void {
  const code = faultCode === null ? {} : { faultCode };
  const fields = { taskId, processState, ...code, ...traceFields(fromTraceText(traceContext)) };
  if (processState === "halted") log.error(fields, "task halted");
  else log.debug(fields, "task moved");
}

interface AddressOptions {
  /** Whether this Scheduler claims a reply queue of its own; on unless a benchmark turns it off. */
  readonly ownReplyQueue?: boolean;
}

/**
 * Consumes replies, and knows the queue that Agents are to reply to: this Scheduler's own while it
 * holds one, otherwise the common one. A reply in the own queue finds its task in the cache of this
 * process.
 */
export function replyAddress(
  broker: Pick<Broker, "consumeShared">,
  { ownReplyQueue = true }: AddressOptions = {},
) {
  let consumer: SharedConsumer | null = null;
  const queues = { common: replyQueue, owned: ownReplyQueues, claimOwn: ownReplyQueue };
  return {
    current: (): string => consumer?.own ?? replyQueue,
    async consume(
      options: BatchOptions,
      handle: (batch: readonly Delivery[]) => Promise<void>,
    ): Promise<AsyncDisposable> {
      consumer = await broker.consumeShared(queues, options, handle);
      return consumer;
    },
  };
}

/** Why the output of a reply cannot be kept; null: it can, or there is none. */
function faultOfOutput({ outcome }: StepReply): ContractFault | null {
  const faults = outcome.kind === "completed" ? payloadFaultsAt(outcome.output) : [];
  if (faults.length === 0) return null;
  return new ContractFault("step.output_unstorable", `The output ${payloadWords(faults)}`);
}

/**
 * What a reply says, as the domain hears it. With an output that is refused, its step fails for
 * good: the work may be done, and the Agent would answer the same again.
 */
export function toReportedEvent(
  reply: StepReply,
  agent: string,
  outputFault: Fault | null,
): ReportedTaskEvent {
  const { taskId, step, attempt, token, outcome } = reply;
  const ref = { step, attempt, token, agent };
  if (outputFault !== null) {
    const { code, message: faultDetail } = outputFault;
    const failure = {
      transient: false,
      attempted: true,
      effect: "unknown",
      retryAfter: null,
    } as const;
    return { taskId, faultDetail, event: { kind: "failed", code, ...failure, ...ref } };
  }
  const event = toEvent(outcome, ref);
  if (outcome.kind === "completed") return { taskId, event, output: outcome.output };
  return outcome.kind === "failed"
    ? { taskId, event, faultDetail: outcome.message }
    : { taskId, event };
}

/** An Agent that says what only Holdfast says is quoted: its word must not pass for ours. */
function codeOfAgent(code: string): string {
  return isOursAlone(code) ? `agent.said.${code}`.slice(0, limits.code) : code;
}

function toEvent(outcome: StepReply["outcome"], ref: AttemptRef): TaskEvent {
  switch (outcome.kind) {
    case "completed":
      return { kind: "completed", ...ref };
    case "stopped":
      return { kind: "stopped", effect: outcome.effect, ...ref };
    case "failed": {
      const { transient, attempted = true, effect = "unknown", redelivered, contract } = outcome;
      const code = codeOfAgent(outcome.code);
      const retryAfter = outcome.retryAfterMs ?? null;
      return {
        kind: "failed",
        code,
        transient,
        attempted,
        effect,
        retryAfter,
        ...ref,
        ...(redelivered === undefined ? {} : { redelivered }),
        ...(contract === undefined ? {} : { contract }),
        // An instance whose circuit has opened in the middle of an attempt says when that ends:
        // others may be well.
        ...(attempted && retryAfter !== null && code !== "agent.circuit_open"
          ? { paces: true }
          : {}),
      };
    }
  }
}

/** Applies events. `onCommit` comes before anything that could fail. */
type ApplyEvents = (
  ...args: [
    ...Parameters<SchedulerStore["applyEvents"]>,
    onCommit?: (applied: AppliedEvents) => void,
  ]
) => ReturnType<SchedulerStore["applyEvents"]>;

interface ApplyTo {
  readonly store: Pick<SchedulerStore, "applyEvents">;
  /** Has new notifications sent. */
  readonly notify: () => void;
  readonly cancel: ReturnType<typeof cancelHints>;
  /** Takes in how many milliseconds the first of the waits ends that the events begin. */
  readonly opened: (ms: number) => void;
}

/** Applies events, and publishes what follows from them at once: notifications and cancel hints. */
export const applyAndNotify =
  ({ store, notify, cancel, opened }: ApplyTo): ApplyEvents =>
  async (reportedEvents, how, onCommit) => {
    const applied = await store.applyEvents(reportedEvents, how);
    onCommit?.(applied);
    if (applied.hasNotifications) notify();
    if (applied.nextWait !== undefined) opened(applied.nextWait);
    cancel(applied.obsoleteAttempts);
    return applied;
  };
