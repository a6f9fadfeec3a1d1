import {
  agentsOfLane,
  evidenceOf,
  type FailureStreak,
  longestThrottle,
  type Milliseconds,
  mustOpen,
  nextStreak,
  rampEnd,
  rampLimit,
  shortestThrottle,
  type TaskEvent,
} from "@holdfast/domain";
import type {
  Breaker,
  FailingService,
  ProbeOutcome,
  SchedulerStore,
  Throttle,
} from "@holdfast/state-store";

/**
 * The retries of one remote service, by the generic cell rate algorithm: one instant, and nothing
 * to reset.
 */
interface RetryBudget {
  /** When the last retry that was let through would be due, if all came evenly; null: none was. */
  due: Milliseconds | null;
  /** Answers per second, averaged, and when that was. */
  answers: number;
  answeredAt: Milliseconds;
}

/** What a Scheduler knows of one remote service. */
export interface RemoteService {
  /** Its breaker as it was last read, which all Schedulers share; null: it holds nothing back. */
  breaker: Breaker | null;
  /** When the next probe may be tried, because no step was due for the last; null: at any time. */
  noProbeBefore: Milliseconds | null;
  /**
   * Failures without an answer between them, as this Scheduler has recorded them; null: there are
   * none.
   */
  streak: FailureStreak | null;
  /**
   * Why its breaker must open, and for how long it asks to be left alone; null: the store knows all
   * there is.
   */
  failing: string | null;
  throttle: Milliseconds | null;
  /** The retries of its steps; null: none was ever needed. */
  budget: RetryBudget | null;
}

/**
 * What a Scheduler knows of remote services. The breaker in the store decides, so that all
 * Schedulers act alike: replies and heartbeats are only evidence for it, and a limit follows from
 * it alone.
 */
export interface Remotes {
  readonly services: Map<string, RemoteService>;
  /**
   * The service of each Agent that wraps one of another name than its own, and when that was read;
   * null: never.
   */
  wrapped: ReadonlyMap<string, string>;
  wrappedReadAt: Milliseconds | null;
  /** When the breakers were last read. Until the next time the Scheduler's own clock goes on. */
  readAt: Milliseconds;
  /**
   * Whether they were ever read. A Scheduler that has just started must not claim what is held
   * back.
   */
  areKnown: boolean;
  /** Whether something was claimed since they were read too long ago. */
  isReadWanted: boolean;
  /** Whether steps are to be claimed once they are read. */
  isClaimWanted: boolean;
  /** What attempts have shown that may be probes, by their tokens, until the store knows. */
  readonly outcomes: Map<string, ProbeOutcome>;
}

type AgentServices = Awaited<ReturnType<SchedulerStore["findAgentServices"]>>;

/** What the store has to know of remote services. */
export interface RemoteReport {
  readonly failing: readonly FailingService[];
  readonly throttles: readonly Throttle[];
  readonly outcomes: readonly ProbeOutcome[];
}

/** What is read about remote services, written down about them, and tried. */
export type RemoteObservation =
  | { readonly kind: "services"; readonly found: AgentServices }
  | { readonly kind: "breakers"; readonly found: readonly Breaker[] }
  /** The store knows what was reported. */
  | { readonly kind: "reported"; readonly report: RemoteReport }
  /** A service could not be tried, because no step was due. */
  | { readonly kind: "noProbe"; readonly service: string }
  /** Steps are claimable, and breakers have changed: they must be read before the claim. */
  | { readonly kind: "dueByBreakers" };

export const newRemotes = (now: Milliseconds): Remotes => ({
  services: new Map(),
  wrapped: new Map(),
  wrappedReadAt: null,
  readAt: now,
  areKnown: false,
  isReadWanted: false,
  isClaimWanted: false,
  outcomes: new Map(),
});

function serviceOf({ services }: Remotes, name: string): RemoteService {
  const known = services.get(name);
  if (known !== undefined) return known;
  const service = newService();
  services.set(name, service);
  return service;
}

const newService = (): RemoteService => ({
  breaker: null,
  noProbeBefore: null,
  streak: null,
  failing: null,
  throttle: null,
  budget: null,
});

/**
 * The service behind a lane. All Agents of a pool share one, and an Agent of which no workflow says
 * more wraps one of its own name.
 */
export function serviceOfLane({ wrapped }: Pick<Remotes, "wrapped">, lane: string): string {
  const [agent = lane] = agentsOfLane(lane);
  return wrapped.get(agent) ?? agent;
}

/** Milliseconds. Which service an Agent wraps changes only with a workflow that is stored. */
const readWrappedEvery = 5_000;

/** Whether it is time to read again which services Agents wrap. */
export const areServicesDue = (
  { wrappedReadAt }: Pick<Remotes, "wrappedReadAt">,
  now: Milliseconds,
): boolean => wrappedReadAt === null || now >= wrappedReadAt + readWrappedEvery;

/**
 * Milliseconds between two reads of the breakers, while there are claims or a breaker holds
 * something back.
 */
const readEvery = 500;
/** Milliseconds between two reads of a Scheduler that claims nothing: it need not know. */
const idleEvery = 5_000;
/**
 * Milliseconds between two reads while steps are released in growing numbers, and there may be more
 * slots without a reply.
 */
const rampEvery = 250;
/** Milliseconds until a probe is tried again for which there was no step. */
const probeAgainIn = 1_000;

const known = ({ services }: Remotes): readonly Breaker[] =>
  [...services.values()].flatMap(({ breaker }) => breaker ?? []);

const throttledFor = ({ throttledFor: left }: Breaker, passed: Milliseconds): number =>
  (left ?? -rampEnd) - passed;

/** Milliseconds for which steps have been released again; negative: they are held back. */
const releasedFor = (breaker: Breaker, passed: Milliseconds): number =>
  breaker.state === "closed"
    ? Math.min(breaker.age + passed, -throttledFor(breaker, passed))
    : Number.NEGATIVE_INFINITY;

const isHeldBack = (breaker: Breaker, passed: Milliseconds): boolean =>
  releasedFor(breaker, passed) < 0;

/** Whether the steps of some service are released in growing numbers. */
export const isRamping = (remotes: Remotes, now: Milliseconds): boolean =>
  known(remotes).some((breaker) => {
    const ms = releasedFor(breaker, now - remotes.readAt);
    return ms >= 0 && ms < rampEnd;
  });

/** Takes over what the store has. Returns whether steps are to be claimed that were held back. */
export function replaceBreakers(
  remotes: Remotes,
  found: readonly Breaker[],
  now: Milliseconds,
): boolean {
  const held = known(remotes).filter((breaker) => isHeldBack(breaker, now - remotes.readAt));
  const isFirst = !remotes.areKnown;
  for (const service of remotes.services.values()) service.breaker = null;
  for (const breaker of found) serviceOf(remotes, breaker.service).breaker = breaker;
  const isReleased = ({ service }: Breaker): boolean => {
    const { breaker } = serviceOf(remotes, service);
    return breaker === null || !isHeldBack(breaker, 0);
  };
  const isWanted = remotes.isClaimWanted;
  Object.assign(remotes, {
    readAt: now,
    areKnown: true,
    isReadWanted: false,
    isClaimWanted: false,
  });
  return isWanted || isFirst || isRamping(remotes, now) || held.some(isReleased);
}

const isClosed = ({ breaker }: RemoteService): boolean =>
  breaker === null || breaker.state === "closed";

/**
 * How many steps of a lane all Schedulers together may have in flight, if without a breaker it were
 * `max`.
 */
export function limitOfService(
  remotes: Remotes,
  lane: string,
  { max, now }: { readonly max: number; readonly now: Milliseconds },
): number {
  if (!remotes.areKnown) return 0;
  const breaker = remotes.services.get(serviceOfLane(remotes, lane))?.breaker ?? null;
  if (breaker === null) return max;
  const passed = now - remotes.readAt;
  return isHeldBack(breaker, passed) ? 0 : Math.min(max, rampLimit(releasedFor(breaker, passed)));
}

/**
 * Something is claimed by what was read. Returns whether it must be read again, which it says once.
 */
export function useBreakers(remotes: Remotes, now: Milliseconds): boolean {
  if (remotes.isReadWanted || now - remotes.readAt < readEvery) return false;
  remotes.isReadWanted = true;
  return true;
}

/** The services of which a step is to be tried now. */
export const dueProbes = (remotes: Remotes, now: Milliseconds): readonly string[] =>
  known(remotes)
    .filter((breaker) => isProbeDue(breaker, now - remotes.readAt))
    .map(({ service }) => service)
    .filter((service) => (serviceOf(remotes, service).noProbeBefore ?? now) <= now);

const isProbeDue = (breaker: Breaker, passed: Milliseconds): boolean =>
  breaker.state !== "closed" &&
  !breaker.held &&
  (breaker.openFor ?? 0) <= passed &&
  throttledFor(breaker, passed) <= 0;

/** Defers the next probe of a service of which there was no step to try. */
export function deferProbe(remotes: Remotes, service: string, now: Milliseconds): void {
  serviceOf(remotes, service).noProbeBefore = now + probeAgainIn;
}

/** Milliseconds until the breakers are read again. */
export function breakersReadIn(remotes: Remotes, now: Milliseconds): Milliseconds {
  const breakers = known(remotes);
  const usual = breakers.length === 0 ? idleEvery : readEvery;
  const coming = breakers.flatMap((breaker) => changesIn(breaker, now - remotes.readAt));
  return Math.min(isRamping(remotes, now) ? rampEvery : usual, ...coming);
}

/** When a probe is due, and when a service may be called again. */
const changesIn = (breaker: Breaker, passed: Milliseconds): readonly Milliseconds[] =>
  [(breaker.openFor ?? 0) - passed, throttledFor(breaker, passed)].filter((ms) => ms > 0);

/** An attempt at a step of this service has ended, and that was recorded. */
export function noteEvidence(
  remotes: Remotes,
  { service: name, event }: { readonly service: string; readonly event: TaskEvent },
  now: Milliseconds,
): void {
  const service = serviceOf(remotes, name);
  const code = event.kind === "failed" ? event.code : "";
  const evidence = evidenceOf(event);
  service.streak = nextStreak(service.streak, evidence, now);
  if (mustOpen(service.streak, now) && isClosed(service)) {
    const failures = service.streak?.failures ?? 0;
    service.failing = `${failures} attempts in a row failed, the last with ${code}`;
    service.streak = null;
  }
  if (event.kind === "failed" && event.paces === true) {
    noteThrottle(service, event.retryAfter, now - remotes.readAt);
  }
  if (event.kind === "completed") noteAnswer(service, now);
  if (isClosed(service) || !("token" in event)) return;
  const { token } = event;
  // A probe whose Agent did not call must not be followed by another at once.
  const answered = evidence === "answered";
  remotes.outcomes.set(token, { token, answered, code: code || event.kind });
}

function noteThrottle(service: RemoteService, asked: Milliseconds | null, passed: number): void {
  if (asked === null || asked < shortestThrottle) return;
  const { breaker } = service;
  const wanted = Math.min(asked, longestThrottle);
  const current = breaker === null ? 0 : Math.max(0, throttledFor(breaker, passed));
  // Most answers of a busy service ask for about the same: they need not all be written down.
  if (wanted < current + shortestThrottle) return;
  service.throttle = Math.max(wanted, service.throttle ?? 0);
}

/** What the store does not know yet of remote services. */
export function reportOf({ services, outcomes }: Remotes): RemoteReport {
  const all = [...services];
  return {
    failing: all.flatMap(([service, { failing: reason }]) =>
      reason === null ? [] : [{ service, reason }],
    ),
    throttles: all.flatMap(([service, { throttle }]) =>
      throttle === null ? [] : [{ service, throttle }],
    ),
    outcomes: [...outcomes.values()],
  };
}

/**
 * Whether the store knows all there is. Looks at the services that are named only: others have
 * changed before.
 */
export const isReportWanted = (remotes: Remotes, names: Iterable<string>): boolean => {
  if (remotes.outcomes.size > 0) return true;
  for (const name of names) {
    const service = remotes.services.get(name);
    if (service !== undefined && (service.failing !== null || service.throttle !== null))
      return true;
  }
  return false;
};

/** The store knows of this report. */
export function forgetReport(remotes: Remotes, report: RemoteReport): void {
  for (const { service } of report.failing) serviceOf(remotes, service).failing = null;
  for (const { service } of report.throttles) serviceOf(remotes, service).throttle = null;
  for (const { token } of report.outcomes) remotes.outcomes.delete(token);
}

/** How many retries a second each remote service gets from one Scheduler whatever it answers. */
const leastPerSecond = 10;
/** How many more it gets for each attempt that it answers. */
const shareOfAnswers = 0.2;
/** Retries that may come at once. */
const burst = 20;
/** Milliseconds. No retry is delayed for longer. */
const longestDelay = 30_000;
/** Milliseconds over which the rate of answers is averaged. */
const averagedOver = 10_000;

function budgetOf(service: RemoteService, now: Milliseconds): RetryBudget {
  service.budget ??= { due: null, answers: 0, answeredAt: now };
  const { budget } = service;
  budget.answers *= Math.exp((budget.answeredAt - now) / averagedOver);
  budget.answeredAt = now;
  return budget;
}

/** An attempt was answered. */
function noteAnswer(service: RemoteService, now: Milliseconds): void {
  budgetOf(service, now).answers += 1_000 / averagedOver;
}

/**
 * Takes the place of a retry in the budget of its remote service, and returns the failure with the
 * delay that follows. Every step has its own retry policy, but when a service fails for thousands
 * of them, their retries together would be a load of their own. Nothing is refused: a retry beyond
 * the budget comes later.
 */
export function takeRetry(
  remotes: Remotes,
  { service, event }: { readonly service: string; readonly event: TaskEvent },
  now: Milliseconds,
): TaskEvent {
  if (event.kind !== "failed" || !event.transient || !event.attempted) return event;
  if (event.paces === true) return event;
  const budget = budgetOf(serviceOf(remotes, service), now);
  const spacing = 1_000 / (leastPerSecond + shareOfAnswers * budget.answers);
  const earliest = now - burst * spacing;
  const due = Math.min(Math.max(budget.due ?? earliest, earliest) + spacing, now + longestDelay);
  budget.due = due;
  const delay = Math.ceil(due - now);
  return delay <= 0 ? event : { ...event, retryAfter: Math.max(event.retryAfter ?? 0, delay) };
}
