import type { Milliseconds, ReportedTaskEvent } from "@holdfast/domain";
import type { EventOutcome } from "@holdfast/state-store";
import {
  type Admission,
  type AdmissionObservation,
  addClaimed,
  beginRead,
  countEvery,
  endCount,
  newAdmission,
  recountIn,
  replaceCounts,
  replaceLanes,
  replaceQueues,
  replaceSlots,
  slotsReadIn,
  takeOffSettled,
} from "./admission.ts";
import { agentsWithSlots, earn, saveReserve } from "./allowances.ts";
import {
  breakersReadIn,
  deferProbe,
  forgetReport,
  isReportWanted,
  newRemotes,
  noteEvidence,
  type RemoteObservation,
  type Remotes,
  replaceBreakers,
  serviceOfLane,
  useBreakers,
} from "./remotes.ts";
import {
  confirmEvery,
  confirmsEvery,
  forgetContracts,
  forgetRequest,
  forgetRequests,
  newRequests,
  noteBundleSize,
  noteConfirm,
  noteConfirms,
  notePublishing,
  noteReply,
  noteSlowConfirm,
  type RequestObservation,
  type Requests,
  replaceContracts,
  unconfirmedFor,
  useContracts,
} from "./requests.ts";
import {
  newWaits,
  noteHint,
  noteOpened,
  noteRound,
  type WaitObservation,
  type Waits,
} from "./waits.ts";

/** The loops of a Scheduler. */
export type LoopName =
  | "claim"
  | "count"
  | "slots"
  | "confirm"
  | "outages"
  | "resend"
  | "remotes"
  | "waits"
  | "notifications"
  | "alerts"
  | "stale notifications";

/** The loop whose next round must begin, and in how many milliseconds at the latest. */
export interface Wake {
  readonly loop: LoopName;
  readonly in: Milliseconds;
}

/** The loops that an observation wakes. Lists that come with every message are constants. */
export type Wakes = readonly Wake[];

const noWakes: Wakes = [];
const wakeClaims: Wakes = [{ loop: "claim", in: 0 }];
const wakeRemotes: Wakes = [{ loop: "remotes", in: 0 }];

/**
 * All that a Scheduler remembers from one moment to the next, as plain data: `printState` writes it
 * as JSON. It changes by `observe`, and by `takeRetry`, which also answers.
 */
export interface SchedulerState {
  /** What decides how many steps of which Agents may be claimed. */
  readonly admission: Admission;
  /** The health of remote services. */
  readonly remotes: Remotes;
  /** What was published, and what is known for it. */
  readonly requests: Requests;
  /** The steps that wait for a time. */
  readonly waits: Waits;
}

/** A reply, and what it reports. */
interface ObservedReply {
  readonly agent: string;
  readonly reply: { readonly token: string; readonly bundleSize?: number | undefined };
  readonly reportedEvent: Pick<ReportedTaskEvent, "event">;
}

/** What a Scheduler sees. */
export type Observation =
  | AdmissionObservation
  | RemoteObservation
  | RequestObservation
  | WaitObservation
  /** Replies were recorded by a transaction that began then. */
  | {
      readonly kind: "replied";
      readonly received: readonly ObservedReply[];
      readonly outcomes: readonly EventOutcome[];
      readonly since: Milliseconds;
    }
  /**
   * Requests to these Agents came back, and their steps were settled. When that transaction began
   * is unknown.
   */
  | {
      readonly kind: "returned";
      readonly agents: readonly string[];
      readonly outcomes: readonly EventOutcome[];
    };

export interface StateSettings {
  readonly maxInFlight: number;
  readonly batchReserve?: number | undefined;
  readonly bundles?: boolean;
  readonly lateConfirms?: boolean;
}

export const newState = (settings: StateSettings, now: Milliseconds): SchedulerState => ({
  admission: newAdmission(settings),
  remotes: newRemotes(now),
  requests: newRequests(settings),
  waits: newWaits(),
});

/**
 * Changes the state by what is seen at an instant of the Scheduler's own clock. Returns the loops
 * that this wakes.
 */
export function observe(state: SchedulerState, seen: Observation, now: Milliseconds): Wakes {
  switch (seen.kind) {
    case "replied":
      return observeReplies(state, seen, now);
    case "returned":
      return observeReturned(state, seen, now);
    case "reading":
    case "lanes":
    case "slots":
    case "schedulers":
    case "queues":
    case "counted":
    case "offered":
    case "claimed":
      return observeAdmission(state, seen, now);
    case "services":
    case "breakers":
    case "reported":
    case "noProbe":
    case "dueByBreakers":
      return observeRemotes(state, seen, now);
    case "building":
    case "built":
    case "publishing":
    case "confirmed":
    case "unpublished":
    case "confirmsRecorded":
    case "disconnected":
    case "unconfirmed":
    case "remembering":
    case "brokerIsNew":
    case "resending":
    case "contractsUsed":
    case "contractsAging":
    case "contracts":
      return observeRequests(state.requests, seen, now);
    case "waitsSeen":
    case "waitOpened":
    case "hinted":
      return observeWaits(state.waits, seen, now);
  }
}

const nextRoundNow: Wakes = [{ loop: "waits", in: 0 }];

function observeWaits(waits: Waits, seen: WaitObservation, now: Milliseconds): Wakes {
  switch (seen.kind) {
    case "waitsSeen":
      noteRound(waits, seen, now);
      return seen.hasFired ? wakeClaims : noWakes;
    case "waitOpened":
      return noteOpened(waits, seen.in, now) ? nextRoundNow : noWakes;
    case "hinted": {
      const roundIn = noteHint(waits, seen.due, now);
      const rounds: Wakes = roundIn === null ? [] : [{ loop: "waits", in: roundIn }];
      return seen.due === "waits" ? rounds : [...wakeClaims, ...rounds];
    }
  }
}

/**
 * Replies answer requests, are evidence of remote services, and free slots. One that was refused
 * may be anybody's.
 */
function observeReplies(
  state: SchedulerState,
  { received, outcomes, since }: Extract<Observation, { kind: "replied" }>,
  now: Milliseconds,
): Wakes {
  const { admission, remotes, requests } = state;
  const services = new Set<string>();
  for (const [index, { agent, reply, reportedEvent }] of received.entries()) {
    noteReply(requests, reply.token, now);
    if (outcomes[index]?.applied !== true) continue;
    noteBundleSize(requests, agent, reply.bundleSize);
    const service = serviceOfLane(remotes, agent);
    services.add(service);
    noteEvidence(remotes, { service, event: reportedEvent.event }, now);
    earn(state, agent, now);
    takeOffSettled(admission, agent, since);
  }
  const wakes = recount(admission, now);
  return isReportWanted(remotes, services) ? [...wakes, ...wakeRemotes] : wakes;
}

function observeReturned(
  state: SchedulerState,
  { agents, outcomes }: Extract<Observation, { kind: "returned" }>,
  now: Milliseconds,
): Wakes {
  for (const [index, agent] of agents.entries()) {
    if (outcomes[index]?.applied !== true) continue;
    earn(state, agent, now);
    takeOffSettled(state.admission, agent, null);
  }
  return [...wakeClaims, ...recount(state.admission, now)];
}

function observeAdmission(
  state: SchedulerState,
  seen: AdmissionObservation,
  now: Milliseconds,
): Wakes {
  const { admission } = state;
  switch (seen.kind) {
    case "reading":
      beginRead(admission, seen.what, now);
      return noWakes;
    case "schedulers":
      admission.schedulers = seen.count;
      return noWakes;
    case "lanes":
      return noticing(state, now, () => replaceLanes(admission, seen));
    case "slots":
      return noticing(state, now, () => replaceSlots(admission, seen.found));
    case "queues":
      return noticing(state, now, () => replaceQueues(admission, seen.found, now));
    case "counted":
      return observeCount(state, seen.counts, now);
    case "offered":
      return observeOffer(state, seen, now);
    case "claimed":
      for (const { agent, priority } of seen.claims) {
        addClaimed(admission, agent, seen.since);
        if (priority === "urgent") admission.urgentAt = now;
      }
      return recount(admission, now);
  }
}

/**
 * What is claimed by an offer depends on the breakers, which are read again if that was long ago.
 */
function observeOffer(
  { admission, remotes }: SchedulerState,
  { to, lanes, offered }: Extract<AdmissionObservation, { kind: "offered" }>,
  now: Milliseconds,
): Wakes {
  for (const { lane, agent } of lanes) if (agent !== undefined) admission.chosen.set(lane, agent);
  if (to === "all") saveReserve(admission, offered);
  const isClaim = to !== "probe" && offered.length > 0;
  return isClaim && useBreakers(remotes, now) ? wakeRemotes : noWakes;
}

function observeCount(
  state: SchedulerState,
  counts: Extract<AdmissionObservation, { kind: "counted" }>["counts"],
  now: Milliseconds,
): Wakes {
  const { admission } = state;
  if (counts?.some(({ urgent }) => urgent > 0)) admission.urgentAt = now;
  const wakes =
    counts === null ? noWakes : noticing(state, now, () => replaceCounts(admission, counts));
  endCount(admission, { hasFailed: counts === null, now });
  return [...wakes, ...recount(admission, now)];
}

/** Makes a change, and wakes the claims if an Agent without slots gets some by it. */
function noticing(state: SchedulerState, now: Milliseconds, change: () => void): Wakes {
  const before = new Set(agentsWithSlots(state, now));
  change();
  return agentsWithSlots(state, now).some((agent) => !before.has(agent)) ? wakeClaims : noWakes;
}

function recount(admission: Admission, now: Milliseconds): Wakes {
  const ms = recountIn(admission, now);
  return ms === null ? noWakes : [{ loop: "count", in: ms }];
}

function observeRemotes(
  { remotes }: SchedulerState,
  seen: RemoteObservation,
  now: Milliseconds,
): Wakes {
  switch (seen.kind) {
    case "services":
      remotes.wrapped = new Map(seen.found.map(({ agent, service }) => [agent, service]));
      remotes.wrappedReadAt = now;
      return noWakes;
    case "breakers":
      return replaceBreakers(remotes, seen.found, now) ? wakeClaims : noWakes;
    case "reported":
      forgetReport(remotes, seen.report);
      return noWakes;
    case "noProbe":
      deferProbe(remotes, seen.service, now);
      return noWakes;
    case "dueByBreakers":
      remotes.isClaimWanted = true;
      return wakeRemotes;
  }
}

const wakeToConfirm: Wakes = [{ loop: "confirm", in: confirmEvery }];
const resendNow: Wakes = [{ loop: "resend", in: 0 }];
const watchConfirms: Wakes = [{ loop: "outages", in: confirmsEvery }];
const confirmAndRemember: Wakes = [...wakeToConfirm, { loop: "outages", in: 0 }];

function observeRequests(requests: Requests, seen: RequestObservation, now: Milliseconds): Wakes {
  switch (seen.kind) {
    case "building":
      for (const claim of seen.claims) requests.building.add(claim);
      return noWakes;
    case "built":
      for (const claim of seen.claims) requests.building.delete(claim);
      return noWakes;
    case "publishing":
      notePublishing(requests, seen, now);
      return watchConfirms;
    case "confirmed":
      if (!noteConfirm(requests, seen.token, now)) return noWakes;
      return requests.slowConfirm > 0 ? confirmAndRemember : wakeToConfirm;
    case "unpublished":
      forgetRequest(requests, seen.token);
      return noWakes;
    case "confirmsRecorded":
      return noteConfirms(requests, seen.claims) ? wakeToConfirm : noWakes;
    case "disconnected":
      forgetRequests(requests);
      return noWakes;
    case "unconfirmed": {
      const ms = unconfirmedFor(requests, now);
      if (ms === null) return noWakes;
      noteSlowConfirm(requests, ms);
      return watchConfirms;
    }
    case "remembering":
      requests.slowConfirm = 0;
      return noWakes;
    case "brokerIsNew":
      requests.isResendWanted = true;
      return resendNow;
    case "resending":
      requests.isResendWanted = false;
      return noWakes;
    case "contractsAging":
      forgetContracts(requests, now);
      return noWakes;
    case "contractsUsed":
      useContracts(requests, seen.workflows);
      return noWakes;
    case "contracts":
      replaceContracts(requests, seen, now);
      return noWakes;
  }
}

/** Milliseconds between two rounds of a loop that is woken when there is something to do. */
const woken = 60_000;

/** Milliseconds until a loop is to look again by itself, whatever wakes it before. */
export function nextWake(
  { admission, remotes, waits }: SchedulerState,
  loop: LoopName,
  now: Milliseconds,
): Milliseconds {
  if (loop === "waits") return Math.max(0, waits.nextRoundAt - now);
  if (loop === "slots") return slotsReadIn(admission);
  if (loop === "count") return Math.max(countEvery, recountIn(admission, now) ?? woken);
  if (loop === "remotes") return breakersReadIn(remotes, now);
  return woken;
}

/** Fields that are not printed: payloads, which no log holds, and messages as they came. */
const unprinted: ReadonlySet<string> = new Set([
  "body",
  "delivery",
  "faultDetail",
  "output",
  "taskInput",
  "traceContext",
]);

const print = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => {
    if (unprinted.has(key)) return undefined;
    if (part instanceof Map) return Object.fromEntries(part);
    return part instanceof Set ? [...part] : part;
  });

/** Writes the state as one line of JSON: maps as objects, sets as lists. */
export const printState = (state: SchedulerState): string => print(state);

/** Writes an observation as one line of JSON. */
export const printObservation = (seen: Observation): string => print(seen);
