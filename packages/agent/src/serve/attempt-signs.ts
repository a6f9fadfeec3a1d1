import {
  heartbeatExchange,
  heartbeatRoute,
  limits,
  readableText,
  StepProgress,
  type StepRequest,
} from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock } from "@holdfast/runtime";
import type { Progress } from "../contract/handlers.ts";

type Sign = StepProgress["attempts"][number];

interface SignOptions {
  readonly agent: string;
  readonly broker: Pick<Broker, "publish">;
  /** The user of our connection: the broker vouches for it. */
  readonly userId: string;
  readonly clock: Clock;
}

interface Listeners {
  /** The broker has, for the first time, a message that says that this attempt runs. */
  readonly onAnnounced: () => void;
  /** The broker has a heartbeat of this instant of the clock. */
  readonly onHeartbeat: (at: number) => void;
}

export type AttemptSigns = ReturnType<typeof attemptSigns>;

export interface SignedAttempt {
  /** The handler is at work. Sent a few times in each `workMs` at most. */
  readonly beat: (progress: Progress) => void;
  /** It is over: no more is said of it. */
  end(): void;
}

interface Running extends Listeners {
  readonly request: StepRequest;
  readonly since: number;
  isAnnounced: boolean;
  /** What is to be sent; null: nothing new. */
  heartbeat: Progress | null;
  heartbeatSentAt: number;
  isBeingSent: boolean;
}

/** Milliseconds between two looks. */
const tickMs = 250;
/** Milliseconds. Shorter steps are over before anybody could use what is said of them. */
const shortestSigned = 1_000;
/** Milliseconds for which an attempt has run when it is announced, at most. */
const latestAnnouncement = 1_000;
/** Milliseconds between two heartbeats of one attempt, at most. */
const longestInterval = 5_000;
/** Heartbeats in each `workMs`. */
const heartbeats = 5;
/** Leaves room for the frame around the signs. */
const mostBytes = limits.hintBytes - 100;

/**
 * Says which attempts this Agent is at work on, so that their deadlines count from their start and
 * heartbeats extend them. An attempt is announced once it has run for a second, or a fifth of its
 * time: what is over by then costs nothing. All that is due shares a message. What cannot be sent
 * is sent at the next tick.
 */
export function attemptSigns(options: SignOptions) {
  const { clock } = options;
  const running = new Set<Running>();
  const unanswered = unansweredSigns(options);
  let cancel: (() => void) | null = null;

  const arm = (): void => {
    cancel ??= clock.after(tickMs, tick);
  };
  const tick = (): void => {
    cancel = null;
    const now = clock.now();
    const due = [...running].filter((one) => isDue(one, now));
    for (const batch of batchesOf(due.map((one) => taken(one, now))))
      void send(options, batch, now);
    unanswered.say();
    if (unanswered.isUnsaid() || [...running].some(hasMore)) arm();
  };

  return {
    add(request: StepRequest, listeners: Listeners): SignedAttempt {
      const since = clock.now();
      const [isAnnounced, isBeingSent] = [request.workMs < shortestSigned, false];
      const sent = { heartbeat: null, heartbeatSentAt: Number.NEGATIVE_INFINITY };
      const one: Running = { ...listeners, request, since, isAnnounced, isBeingSent, ...sent };
      running.add(one);
      if (hasMore(one)) arm();
      return {
        beat(progress) {
          if (!running.has(one)) return;
          one.heartbeat = { ...one.heartbeat, ...storable(progress) };
          arm();
        },
        end: () => void running.delete(one),
      };
    },
    /** An answer was lost: since this instant of the clock the broker took it no more. */
    lost: (since: number): void => {
      unanswered.add(since);
      arm();
    },
    [Symbol.dispose]: () => cancel?.(),
  };
}

/**
 * Answers that the broker has not taken. An Agent is silent after its deadline, but that it had an
 * answer which nothing took is no word about the outcome: it tells an outage from an Agent that
 * hangs.
 */
function unansweredSigns({ agent, broker, userId, clock }: SignOptions) {
  let since: number | null = null;
  let isBeingSaid = false;
  const say = async (from: number): Promise<void> => {
    isBeingSaid = true;
    const unansweredMs = Math.min(limits.integer, Math.max(1, Math.round(clock.now() - from)));
    const result = await broker
      .publish({
        exchange: heartbeatExchange,
        routingKey: heartbeatRoute(agent),
        type: StepProgress.type,
        messageId: `${agent}:unanswered`,
        userId,
        body: StepProgress.encode({ attempts: [], unansweredMs }),
      })
      .catch(() => "unknown");
    isBeingSaid = false;
    if (result === "stored" && since === from) since = null;
  };
  return {
    add(from: number): void {
      since = Math.min(since ?? from, from);
    },
    say: (): void => {
      if (since !== null && !isBeingSaid) void say(since);
    },
    isUnsaid: (): boolean => since !== null,
  };
}

const hasMore = ({ isAnnounced, heartbeat }: Running): boolean =>
  !isAnnounced || heartbeat !== null;

function isDue(one: Running, now: number): boolean {
  const { request, since, isAnnounced, heartbeat, heartbeatSentAt, isBeingSent } = one;
  if (isBeingSent) return false;
  const { workMs } = request;
  const interval = Math.min(longestInterval, workMs / heartbeats);
  if (heartbeat !== null) return now - heartbeatSentAt >= interval;
  return !isAnnounced && now - since >= Math.min(latestAnnouncement, workMs / heartbeats);
}

interface Taken {
  readonly one: Running;
  readonly heartbeat: Progress | null;
  readonly sign: Sign;
}

/** What is to be said of an attempt now. */
function taken(one: Running, now: number): Taken {
  const { request, since, heartbeat } = one;
  const { taskId, step, attempt, token } = request;
  one.isBeingSent = true;
  one.heartbeat = null;
  const runningMs = Math.min(limits.integer, Math.max(0, Math.round(now - since)));
  const sign = { taskId, step, attempt, token, runningMs };
  return { one, heartbeat, sign: heartbeat === null ? sign : { ...sign, heartbeat } };
}

/** Divides signs into messages, each with as many as a hint may hold. */
function batchesOf(all: readonly Taken[]): readonly (readonly Taken[])[] {
  const batches: Taken[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of all) {
    const size = Buffer.byteLength(JSON.stringify(one.sign)) + 1;
    if (bytes + size > mostBytes || (batches.at(-1)?.length ?? 0) >= limits.signs) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(one);
    bytes += size;
  }
  return batches;
}

async function send(
  { agent, broker, userId }: SignOptions,
  batch: readonly Taken[],
  now: number,
): Promise<void> {
  const [first] = batch;
  const result = await broker
    .publish({
      exchange: heartbeatExchange,
      routingKey: heartbeatRoute(agent),
      type: StepProgress.type,
      messageId: `${agent}:${first?.sign.taskId}:${first?.sign.step}`,
      userId,
      body: StepProgress.encode({ attempts: batch.map(({ sign }) => sign) }),
    })
    .catch(() => "unknown");
  for (const { one, heartbeat } of batch) {
    one.isBeingSent = false;
    if (result === "stored") confirm(one, heartbeat === null ? null : now);
    else if (heartbeat !== null) one.heartbeat = { ...heartbeat, ...one.heartbeat };
  }
}

function confirm(one: Running, heartbeatAt: number | null): void {
  const isFirst = !one.isAnnounced;
  one.isAnnounced = true;
  if (heartbeatAt !== null) {
    one.heartbeatSentAt = heartbeatAt;
    one.onHeartbeat(heartbeatAt);
  }
  if (isFirst) one.onAnnounced();
}

/** A handler's own numbers and words, as the store can keep them; what is unusable is left out. */
function storable({ percent, note }: Progress): Progress {
  const isNumber = typeof percent === "number" && Number.isFinite(percent);
  return {
    ...(isNumber ? { percent: Math.max(0, Math.min(100, percent)) } : {}),
    ...(typeof note === "string" ? { note: readableText(note, limits.note) } : {}),
  };
}
