import { type Static, Type } from "typebox";
import { Instant, Name } from "../limits/parts.ts";
import { defineMessage } from "./message.ts";

const ReplyProbeSchema = Type.Object({
  /** The queue of replies that it was sent to. */
  queue: Name,
  /** When, in ISO 8601, on the clock of the state store. */
  sentAt: Instant,
});

/**
 * A Supervisor finds out whether a reply would arrive: goes the way of one, and is recorded as one.
 */
export type ReplyProbe = Static<typeof ReplyProbeSchema>;
export const ReplyProbe = defineMessage("reply.probe.v1", ReplyProbeSchema);
