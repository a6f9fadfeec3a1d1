import { errorText, type Milliseconds, type SetupFault } from "@holdfast/domain";
import { serverUrls } from "../config/server-urls.ts";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import { processMetrics } from "../metrics/process-metrics.ts";
import { type Clock, sleep, systemClock } from "../time/clock.ts";
import {
  type Failure,
  observeFailure,
  observeNewLogin,
  observeSuccess,
  type ServerState,
  unknownServer,
} from "./server-state.ts";
import { type ServerLog, type ServerName, type ServerWords, serverWords } from "./server-words.ts";

/** Why an attempt to connect failed. */
export interface FailedAttempt {
  readonly kind: "away" | "refused";
  /** The reason in words that name the user or the address, and no password. */
  readonly reason: string;
  /** Nothing that happens at the server can help: the process must start again. */
  readonly isFinal?: boolean;
  /** Ends the process at once: what is set cannot work with this server. */
  readonly ends?: SetupFault;
}

/** How one attempt is made. */
interface AttemptOptions {
  /** Says what an error of the driver means. */
  readonly explain: (error: unknown) => FailedAttempt;
  /** Ends the wait for the attempt. Then `attempt` rejects with its reason. */
  readonly signal?: AbortSignal;
  /**
   * How long it may wait until it begins: where that is not soon enough, it rejects as the last
   * attempt did.
   */
  readonly within?: Milliseconds;
}

/**
 * The access of one process to one server: all its connections share what is known of the server,
 * so that while it is away, or refuses the login, one of them at a time tries, at growing
 * intervals.
 */
export interface ServerAccess {
  /** The URL, read anew where it is in a file. */
  readonly url: string;
  readonly state: ServerState;
  /** Waits until an attempt may begin, and makes it with the URL of that moment. */
  attempt<Connected>(
    connect: (url: string) => Promise<Connected>,
    options: AttemptOptions,
  ): Promise<Connected>;
  /** A connection that was open has ended by itself. */
  lost(error: unknown): void;
  /**
   * The server takes nothing from this connection for now, and why; null: it does again, or the
   * connection is gone.
   */
  blocked(connection: object, reason: string | null): void;
  /** Why the server takes nothing from this process; null: it does, or has not said so. */
  readonly blockedBy: () => string | null;
  /** What keeps this process from working with the server; null: nothing that is known. */
  readonly trouble: () => string | null;
}

interface AccessOptions {
  readonly name: ServerName;
  /** Reads the URL of now. */
  readonly read: () => string;
  readonly log: ServerLog;
  readonly metrics?: Metrics;
  /** How long the login may be refused; null: for ever. */
  readonly timeout?: Milliseconds | null;
  /** Called once, when the login was refused for longer. */
  readonly giveUp?: (fault: SetupFault) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** The longest time until a login that has changed in its file is tried. */
const lookAgainAfter: Milliseconds = 1_000;

/** What changes of an access. */
interface Known {
  state: ServerState;
  /** The URL of the last attempt. */
  tried: string;
  /** One attempt finds out for all. */
  isProbing: boolean;
  lastError: unknown;
  lastReason: string;
  /** What the log has of this outage. */
  logged: ReadonlySet<ServerState["kind"]>;
  /** Resolves when any attempt has ended. */
  changed: PromiseWithResolvers<void>;
}

type Parts = Required<Pick<AccessOptions, "read" | "log" | "clock" | "random">> & {
  readonly words: ServerWords;
};

/** Opens the access to a server; nothing is connected by that. */
export function serverAccess(options: AccessOptions): ServerAccess {
  const { name, read, log, metrics = noMetrics, timeout = null, giveUp = () => {} } = options;
  const { clock = systemClock, random = Math.random } = options;
  const words = serverWords(name);
  const parts: Parts = { read, log, clock, random, words };
  const count = metrics.counter(processMetrics.connectionAttempts);
  const known: Known = {
    state: unknownServer,
    tried: "",
    isProbing: false,
    lastError: null,
    lastReason: "",
    logged: new Set(),
    changed: Promise.withResolvers(),
  };
  const alarm = alarmOf(parts, metrics);

  const endTimeout = ({ isFinal = false, ends }: FailedAttempt): void => {
    if (ends !== undefined) return giveUp(ends);
    const { kind, refusedFor } = known.state;
    const isOver = timeout !== null && kind === "refused" && refusedFor >= timeout;
    if (isFinal || isOver) giveUp(words.refusedForGood(known.lastReason));
  };

  return {
    get url() {
      return read();
    },
    get state() {
      return known.state;
    },
    async attempt(connect, how) {
      const isProbe = await turn(known, parts, how);
      known.tried = read();
      try {
        const connected = await connect(known.tried);
        count(1, words.label, "connected");
        succeeded(known, parts);
        return connected;
      } catch (error) {
        how.signal?.throwIfAborted();
        const failure = how.explain(error);
        count(1, words.label, failure.kind);
        failed(known, parts, { ...failure, error });
        endTimeout(failure);
        throw error;
      } finally {
        if (isProbe) known.isProbing = false;
        known.changed.resolve();
        known.changed = Promise.withResolvers();
      }
    },
    lost(error) {
      failed(known, parts, { kind: "lost", reason: errorText(error), error });
    },
    blocked: (connection, reason) => alarm.blocked(connection, reason),
    blockedBy: alarm.first,
    trouble: () => (known.state.kind === "up" ? alarm.trouble() : known.lastReason),
  };
}

/** Resolves once an attempt may begin: whether it is the one that finds out for all. */
async function turn(
  known: Known,
  { read, clock }: Parts,
  { signal, within }: AttemptOptions,
): Promise<boolean> {
  const giveUpAt = within === undefined ? Number.POSITIVE_INFINITY : clock.now() + within;
  for (;;) {
    signal?.throwIfAborted();
    const now = clock.now();
    if (known.state.kind === "up") return false;
    if (read() !== known.tried) known.state = observeNewLogin(known.state, now);
    const { isProbing, state, changed } = known;
    if (!isProbing && now >= state.nextAt) {
      known.isProbing = true;
      return true;
    }
    if (now >= giveUpAt || (!isProbing && state.nextAt > giveUpAt)) throw known.lastError;
    const due = isProbing ? giveUpAt : state.nextAt;
    await firstOf(changed.promise, Math.min(lookAgainAfter, due - now), { signal, clock });
  }
}

interface Failed extends Pick<Failure, "kind">, Pick<FailedAttempt, "ends"> {
  readonly reason: string;
  readonly error: unknown;
}

function failed(
  known: Known,
  { log, clock, random, words }: Parts,
  { kind: how, reason, error, ends }: Failed,
): void {
  const wasKnown = known.state !== unknownServer;
  const servers = serverUrls(known.tried).length;
  const failure = { kind: how, now: clock.now(), servers, spread: random() };
  known.state = observeFailure(known.state, failure);
  known.lastError = error;
  known.lastReason = reason;
  const { kind } = known.state;
  // What ends the process is said then.
  if (known.logged.has(kind) || ends !== undefined) return;
  known.logged = new Set([...known.logged, kind]);
  words.down(log, { kind, wasKnown, reason, error });
}

function succeeded(known: Known, { log, clock, words }: Parts): void {
  const now = clock.now();
  const { attempts, downSince } = known.state;
  known.state =
    known.state === unknownServer
      ? { ...unknownServer, seenAt: now }
      : observeSuccess(known.state, now);
  if (known.logged.size === 0) return;
  known.logged = new Set();
  words.back(log, { attempts, after: Math.round(now - (downSince ?? now)) });
}

/** Which connections are blocked, and why: one alarm for all of them. */
function alarmOf({ log, words }: Parts, metrics: Metrics) {
  const count = metrics.counter(processMetrics.publishersBlocked);
  const reasons = new Map<object, string>();
  const first = (): string | null => [...reasons.values()][0] ?? null;
  return {
    blocked(connection: object, reason: string | null): void {
      const before = reasons.size;
      if (reason === null) reasons.delete(connection);
      else reasons.set(connection, reason);
      if (reason !== null) count(1, words.label);
      if (before === 0 && reason !== null) words.blocked(log, reason);
      if (before > 0 && reasons.size === 0) words.unblocked(log);
    },
    first,
    trouble: (): string | null => (first() === null ? null : `takes no messages: ${first()}`),
  };
}

/** Waits for a change, for so many milliseconds at most, or until the signal aborts. */
async function firstOf(
  change: Promise<void>,
  ms: Milliseconds,
  { signal, clock }: { readonly signal: AbortSignal | undefined; readonly clock: Clock },
): Promise<void> {
  const done = new AbortController();
  const ends = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
  await Promise.race([change, sleep(clock, ms, ends)]);
  done.abort();
}
