import { type Random, seededRandom } from "@holdfast/testing/simulator";

/**
 * What can go wrong, and how often it does when a schedule has it: of a hundred occasions. An
 * occasion is a call of a port, a message, a call of a remote service, or a round of the nemesis.
 */
const occasions = {
  /** A process dies, at any await. */
  crash: 1,
  /** A process dies between two durable steps. */
  failpointCrash: 6,
  /** A process gets a signal to stop, and finishes what it has begun. */
  stop: 0.5,
  /** A process stands still for a while, and then goes on. */
  freeze: 1,
  /** A process stands still between two durable steps. */
  failpointFreeze: 6,
  /** A process cannot reach the store, or the broker, for a while. */
  storePartition: 0.7,
  brokerPartition: 0.7,
  /** A connection to the broker breaks and comes back. */
  connectionLost: 1,
  /** The store fails before it has done anything. */
  storeRefusal: 5,
  /** The store has done it, and says that it failed. */
  storeUnconfirmed: 5,
  /** Another transaction has locked a row. */
  rowLocked: 8,
  /** A message never reaches the broker. */
  publishLost: 6,
  /** The broker has it, and the confirm does not arrive. */
  publishUnconfirmed: 6,
  /** No queue takes it. */
  publishUnroutable: 3,
  /**
   * What a process says on a connection is lost, acknowledgements too, until the broker drops it.
   */
  acknowledgementLost: 4,
  messageLost: 4,
  messageDoubled: 8,
  messageLate: 6,
  messageReordered: 100,
  /** The broker forgets all that is in one queue. */
  queuePurged: 15,
  /** The queues of replies, or of heartbeats, give nothing out for a while. */
  queuesHeld: 4,
  /** The broker is short of memory or disk for a while, and takes nothing. */
  brokerInNeed: 5,
  /** The remote service fails before, or after, it has done what it was asked for. */
  remoteRefusal: 12,
  remoteUnconfirmed: 8,
  /** One instance of an Agent cannot reach it for a while. */
  instanceSick: 15,
  /** It says to come again later, or in three thousand years. */
  remoteBusy: 6,
  remoteBusyForAges: 2,
  /** It will not do it at all. */
  remoteDecline: 4,
  /** Something before it says no, whether it was done or not. */
  gatewayRefusal: 5,
  /** A process of Agents is of another release, and refuses what it is asked. */
  otherRelease: 40,
  /** It does it, but late; or answers late. */
  remoteSlow: 25,
  /** A reply is sent that no Agent gave. */
  forgedReply: 35,
  /** A step that is due is forgotten, as by a release with a bug. */
  planForgotten: 4,
  /**
   * An operator acts: on a task, on a step that is delayed, waits or has failed, on an Agent, on a
   * workflow.
   */
  undoRequested: 6,
  taskPaused: 6,
  taskResumed: 20,
  stepRetried: 20,
  stepResubmitted: 60,
  stepResolved: 50,
  waitFired: 25,
  agentPaused: 6,
  workflowPaused: 15,
  /** A signal comes late, or twice; a Scheduler dies when one has come. */
  signalLate: 20,
  signalDoubled: 25,
  signalCrash: 20,
  /** A decision comes late, or twice; a Scheduler dies when one has come. */
  decisionLate: 20,
  decisionDoubled: 25,
  decisionCrash: 20,
  /** The clocks of hosts differ. */
  clockSkew: 100,
  /**
   * An operator changes versions of a workflow: in a roll-out alone, in which nothing else need go
   * wrong.
   */
  versionStored: 25,
  versionActivated: 25,
  versionRetired: 15,
  versionReinstated: 15,
} as const;

export type FaultKind = keyof typeof occasions;
export const faultKinds = Object.keys(occasions) as readonly FaultKind[];
export type Faults = Readonly<Record<FaultKind, number>>;

const rolloutKinds = [
  "versionStored",
  "versionActivated",
  "versionRetired",
  "versionReinstated",
] as const satisfies readonly FaultKind[];

/** What may go wrong in a schedule, which operators' roll-outs do not. */
const troubles = faultKinds.filter((kind) => !rolloutKinds.some((one) => one === kind));

/** The share of schedules that have no faults at all: they show what must hold then. */
const calm = 0.08;
/**
 * The share of the kinds of faults that one of the other schedules has, on average: with all at
 * once, all would be alike.
 */
const share = 0.3;

const never = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Faults;

/**
 * The share of schedules in which operators change the versions of a workflow while orders come in.
 */
const rollouts = 0.006;

/**
 * Whether the schedule of this seed is one of them; it draws nothing from the schedule's own
 * chance.
 */
export const isRolloutSeed = (seed: number): boolean =>
  seededRandom(seed + 4_000_000_007).chance(rollouts);

const inRollout = Object.fromEntries(rolloutKinds.map((kind) => [kind, occasions[kind] / 100]));

/** Whether nothing goes wrong in a schedule of these probabilities. */
export const areCalm = (faults: Faults): boolean => troubles.every((kind) => faults[kind] === 0);

/** The probabilities of one schedule. */
export function chooseFaults(
  random: Random,
  { isRollout }: { readonly isRollout: boolean },
): Faults {
  const faults: Record<FaultKind, number> = { ...never, ...(isRollout ? inRollout : {}) };
  if (random.chance(calm)) return faults;
  for (const kind of troubles) {
    if (random.chance(share)) faults[kind] = occasions[kind] / 100;
  }
  return faults;
}
