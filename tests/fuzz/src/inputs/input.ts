import type { Options } from "amqplib";

/** A message that an intruder at the broker publishes. */
export interface HostileMessage {
  readonly kind: "message";
  /** What reads it: `reply`, `heartbeat`, … */
  readonly target: string;
  /** How it differs from a valid message. */
  readonly changes: readonly string[];
  /** The exchange; empty: straight to the queue named by the routing key. */
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly properties: Options.Publish;
  /** The broker refuses it by closing the channel. */
  readonly closesChannel: boolean;
}

/** A request that an intruder sends to the HTTP port. */
export interface HostileRequest {
  readonly kind: "request";
  readonly target: string;
  /** Which process has the route. */
  readonly service: "submission" | "operations";
  readonly changes: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /**
   * `whole`: with its length; `chunked`: in pieces; `raw`: byte by byte as it is given here,
   * well-formed or not; `slow`: it stops in the middle and hangs up a second later.
   */
  readonly manner: "whole" | "chunked" | "raw" | "slow";
}

export type HostileInput = HostileMessage | HostileRequest;

/** What an input may refer to. */
export interface DecisionContext {
  /** The user of the broker connection: replies must carry it. */
  readonly userId: string;
  readonly operatorToken: string;
  /** An order whose fate is judged by its end only: it may be paused, undone and resubmitted. */
  readonly bait: () => string | null;
  /** An order that must end right whatever is sent: nothing here knows its tokens. */
  readonly order: () => string | null;
}
