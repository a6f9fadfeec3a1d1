import type { AgentHeartbeat, StepCancel, StepReply, StepRequest } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Case } from "./cases.ts";

/** One reply to a request of ours. */
export interface Answer {
  /** The reply; null: no `step.reply.v1` can be read in the message. */
  readonly reply: StepReply | null;
  /** Milliseconds since its request was published last. */
  readonly afterMs: number;
  /** Why a Scheduler would not take it, whatever it says. */
  readonly faults: readonly string[];
}

/** Asks one Agent as a Scheduler does. */
export interface AgentDriver extends AsyncDisposable {
  readonly agent: string;
  /** Readable heartbeats of the Agent, the newest last; and why others are not. */
  readonly heartbeats: readonly AgentHeartbeat[];
  readonly heartbeatFaults: readonly string[];
  /** The broker user of the Agent, as its last message names it; null: none, or ours. */
  agentUser(): string | null;
  /** A request that has not been sent, with an id of its own. */
  request(asked: Case, options: { readonly workMs: number }): StepRequest;
  send(request: StepRequest): Promise<void>;
  /** Sends bytes in place of a request. */
  sendRaw(taskId: string, body: Buffer): Promise<void>;
  cancel(attempt: StepCancel): Promise<void>;
  /** Resolves when there are so many answers, or when the time is over, to what there is. */
  answers(taskId: string, wanted: number, withinMs: number): Promise<readonly Answer[]>;
  /** Resolves to what `find` finds, looking at each thing that comes; null: not in time. */
  until<Found>(find: () => Found | null, withinMs: number): Promise<Found | null>;
  /**
   * How many requests wait for the Agent, and how many instances consume; null: this user may not
   * ask.
   */
  inspect(): ReturnType<Broker["inspect"]>;
}

export interface DriverOptions {
  readonly agent: string;
  readonly brokerUrl: string;
  readonly identity: "required" | "trusted";
}
