import { StepReply, StepRequest } from "@holdfast/contracts";
import type { LoneOrder } from "../holdfast-subject.ts";
import type { OrderTrace, StepTrace } from "./hops.ts";
import type { MessagePoint, Moment } from "./moment.ts";

/** The steps of the workflow that is measured. */
export const stepNames = ["first", "second", "third"] as const;

/** What tells moments apart. */
export const keyOf = ({ type, messageId, point }: Omit<Moment, "at">): string =>
  `${type} ${messageId} ${point}`;

export interface Seen {
  /** Moments by `keyOf`. */
  readonly moments: ReadonlyMap<string, Moment>;
  /** Instants, by task, step and action with colons between. */
  readonly events: ReadonlyMap<string, number>;
}

/** Puts together what was seen of an order. What was not seen is NaN. */
export function assembleTrace(
  { taskId, ...order }: LoneOrder,
  { moments, events }: Seen,
): OrderTrace {
  const stepOf = (step: string): StepTrace => {
    const messageId = `${taskId}:${step}:1`;
    const momentOf = (type: string, point: MessagePoint) =>
      moments.get(keyOf({ type, messageId, point }))?.at ?? Number.NaN;
    const eventOf = (action: string) => events.get(`${taskId}:${step}:${action}`) ?? Number.NaN;
    return {
      passed: {
        claimed: eventOf("claim"),
        "request published": momentOf(StepRequest.type, "published"),
        "request received": momentOf(StepRequest.type, "received"),
        "reply published": momentOf(StepReply.type, "published"),
        "reply received": momentOf(StepReply.type, "received"),
        recorded: eventOf("complete"),
      },
      requestConfirmed: momentOf(StepRequest.type, "confirmed"),
      replyConfirmed: momentOf(StepReply.type, "confirmed"),
    };
  };
  return { ...order, steps: stepNames.map(stepOf) };
}
