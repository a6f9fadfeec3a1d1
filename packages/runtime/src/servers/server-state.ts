import type { Milliseconds } from "@holdfast/domain";

/**
 * What a process knows of one server: the same value for all its connections to it. Instants are of
 * a monotonic clock.
 */
export interface ServerState {
  /**
   * `away`: it does not answer; `refused`: it answers, and refuses the login. Until the first
   * attempt it counts as `up`.
   */
  readonly kind: "up" | "away" | "refused";
  /** The instant from which on it is `up`, or at which it was last seen to be away or to refuse. */
  readonly seenAt: number;
  /** When the outage began: the one that lasts, or the last one. Null: there was none. */
  readonly downSince: number | null;
  /**
   * How long the server has refused the login in this outage; times at which it was away do not
   * count.
   */
  readonly refusedFor: Milliseconds;
  /** When the login was last refused in this outage. */
  readonly refusedAt: number | null;
  /** Attempts that failed in this outage. */
  readonly attempts: number;
  /** The instant before which no attempt begins, unless the server is up. */
  readonly nextAt: number;
}

/** How an attempt to connect failed, or a connection ended. */
export interface Failure {
  /** `lost`: a connection that was open. */
  readonly kind: "lost" | "away" | "refused";
  readonly now: number;
  /**
   * How many servers the URL names. After each but the last of them the next attempt begins at
   * once.
   */
  readonly servers: number;
  /** A number from 0 to 1, at random: processes that lost the same server come back one by one. */
  readonly spread: number;
}

const shortestDelay: Milliseconds = 100;
const longestDelay: Milliseconds = 2_000;
const longestRefusedDelay: Milliseconds = 20_000;
/**
 * The delay is at most this part of the outage so far: a server that comes back is found as soon.
 */
const partOfOutage = 1 / 20;
/** The part of the outage for a refused login, which mostly needs a person. */
const partOfRefusal = 1 / 4;
/**
 * Right after its start a server may not know its users yet: refusals within that time are no
 * reason to try more seldom.
 */
const startsWithin: Milliseconds = 1_000;
/** A server that is lost again within that time counts as if it had never been back. */
const steadyAfter: Milliseconds = 2_000;
/** The time between two refusals that counts at most, though the server was away for longer. */
const longestBetweenRefusals: Milliseconds = 60_000;

/** What is known of a server before the first attempt. */
export const unknownServer: ServerState = {
  kind: "up",
  seenAt: Number.NEGATIVE_INFINITY,
  downSince: null,
  refusedFor: 0,
  refusedAt: null,
  attempts: 0,
  nextAt: 0,
};

/**
 * Returns the state after an attempt that succeeded. What is known of the outage stays until the
 * server is steady.
 */
export const observeSuccess = (state: ServerState, now: number): ServerState =>
  state.kind === "up" ? state : { ...state, kind: "up", seenAt: now, nextAt: now };

/** Returns the state after a failure, with the instant of the next attempt. */
export function observeFailure(earlier: ServerState, failure: Failure): ServerState {
  const { kind, now, servers } = failure;
  const isNew = earlier.kind === "up" && now - earlier.seenAt >= steadyAfter;
  const state = isNew ? unknownServer : earlier;
  const next: ServerState = {
    ...state,
    kind: kind === "refused" ? "refused" : "away",
    seenAt: now,
    downSince: state.downSince ?? now,
    refusedFor: kind === "refused" ? state.refusedFor + sinceRefusal(state, now) : state.refusedFor,
    refusedAt: kind === "refused" ? now : state.refusedAt,
    attempts: kind === "lost" ? state.attempts : state.attempts + 1,
  };
  const isMidRound = kind === "away" && next.attempts % servers !== 0;
  return { ...next, nextAt: isMidRound ? now : now + delayOf(next, failure) };
}

/**
 * Returns the state after the login has changed: the next attempt begins at once, and no refusal
 * counts any more.
 */
export const observeNewLogin = (state: ServerState, now: number): ServerState =>
  state.kind === "up"
    ? state
    : { ...state, downSince: now, refusedFor: 0, refusedAt: null, nextAt: now };

const sinceRefusal = ({ refusedAt }: ServerState, now: number): Milliseconds =>
  refusedAt === null ? 0 : Math.min(longestBetweenRefusals, now - refusedAt);

function delayOf(state: ServerState, { now, spread }: Failure): Milliseconds {
  const { kind, refusedFor } = state;
  const downFor = now - (state.downSince ?? now);
  const [part, longest] =
    kind === "refused"
      ? [(refusedFor - startsWithin) * partOfRefusal, longestRefusedDelay]
      : [downFor * partOfOutage, longestDelay];
  return Math.min(longest, Math.max(shortestDelay, part)) * (0.5 + spread / 2);
}
