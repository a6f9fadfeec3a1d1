import type { Instant } from "@holdfast/domain";
import type {
  BreakerFacts,
  InboxFacts,
  OutageInForce,
  PauseFacts,
  UnprovenPath,
} from "@holdfast/state-store";

/**
 * What can keep tasks from going on, causes before their effects: what stands earlier explains what
 * stands later. Every page, command and route that says why something waits takes this order.
 */
export const causeKinds = [
  "scheduler",
  "broker",
  "replies",
  "supervisor",
  "inbox",
  "workflowPaused",
  "agentPaused",
  "remote",
  "agentQueue",
  "agentSilent",
  "circuits",
] as const;
export type CauseKind = (typeof causeKinds)[number];

/** One thing that keeps tasks from going on. */
export interface Cause {
  readonly kind: CauseKind;
  /** The Agent, workflow, remote service or queue; null: the system as a whole. */
  readonly about: string | null;
  /** The instant since which it holds; null: not known. */
  readonly since: Instant | null;
  /** How many steps it holds back; 0: not counted. */
  readonly count: number;
  /** What is so, since when, and how much waits. */
  readonly sentence: string;
  /** The one act that helps. */
  readonly act: string;
}

/** The processes of one service, as they announce themselves. */
export interface ProcessFacts {
  readonly living: number;
  /** When the last of them was seen; null: never. */
  readonly lastSeen: Instant | null;
}

/** An Agent of a stored workflow, as far as it was looked at. */
export interface AgentState {
  readonly name: string;
  readonly paused: PauseFacts | null;
  /** Steps that wait for it or that it has; null: not counted. */
  readonly waiting: number | null;
  /** Whether a process of it can take requests; null: that is not known. */
  readonly isServed: boolean | null;
  /** Whether the broker has a queue of it. */
  readonly hasQueue: boolean;
  readonly lastSeen: Instant | null;
  /** Set if the breakers of all its instances are open, until then as far as that is known. */
  readonly broken: { readonly until: Instant | null } | null;
}

/** A remote service that is left alone, and the Agents that call it. */
export interface RemoteState extends BreakerFacts {
  readonly agents: readonly string[];
}

/** What keeps the broker from its work; null: nothing, or that is not known. */
export interface BrokerState {
  /** Why it cannot be reached from here. */
  readonly unreachable: string | null;
  /** Why it takes no messages. */
  readonly blocked: string | null;
}

/** What one look at the system has shown: `systemFacts` makes it of what was looked at. */
export interface SystemFacts {
  readonly now: Instant;
  /**
   * What is known of the Schedulers; null: the store could not be read, and the broker does not
   * say.
   */
  readonly schedulers: ProcessFacts | null;
  readonly supervisors: ProcessFacts | null;
  /**
   * Processes of submission that make tasks of what applications enqueue; null: that is not known.
   */
  readonly takers: ProcessFacts | null;
  readonly inbox: InboxFacts;
  readonly broker: BrokerState;
  readonly unproven: readonly UnprovenPath[];
  readonly outages: readonly OutageInForce[];
  readonly workflows: readonly { readonly name: string; readonly paused: PauseFacts }[];
  readonly agents: readonly AgentState[];
  readonly remotes: readonly RemoteState[];
}
