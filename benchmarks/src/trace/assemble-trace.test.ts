import { StepReply, StepRequest } from "@holdfast/contracts";
import { describe, expect, test } from "@jest/globals";
import { assembleTrace, keyOf, stepNames } from "./assemble-trace.ts";
import type { Moment } from "./moment.ts";

const order = { taskId: "t", submitted: 1, accepted: 2, seen: 100 };

/** Each step passes one point after the other; `firstAt` is when it is claimed. */
const momentsOf = (step: string, firstAt: number): readonly Moment[] => {
  const messageId = `t:${step}:1`;
  return [
    { type: StepRequest.type, messageId, point: "published", at: firstAt + 1 },
    { type: StepRequest.type, messageId, point: "received", at: firstAt + 2 },
    { type: StepRequest.type, messageId, point: "confirmed", at: firstAt + 3 },
    { type: StepReply.type, messageId, point: "published", at: firstAt + 4 },
    { type: StepReply.type, messageId, point: "received", at: firstAt + 5 },
    { type: StepReply.type, messageId, point: "confirmed", at: firstAt + 6 },
  ];
};

describe("the trace of an order", () => {
  const starts = stepNames.map((step, index) => ({ step, at: 10 * (index + 1) }));
  const moments = new Map(
    starts
      .flatMap(({ step, at }) => momentsOf(step, at))
      .map((moment) => [keyOf(moment), moment] as const),
  );
  const events = new Map(
    starts.flatMap(({ step, at }) => [
      [`t:${step}:claim`, at] as const,
      [`t:${step}:complete`, at + 7] as const,
    ]),
  );

  test("has the times of each step from the store and from its messages", () => {
    const { steps } = assembleTrace(order, { moments, events });
    expect(steps).toHaveLength(3);
    expect(steps[1]).toEqual({
      passed: {
        claimed: 20,
        "request published": 21,
        "request received": 22,
        "reply published": 24,
        "reply received": 25,
        recorded: 27,
      },
      requestConfirmed: 23,
      replyConfirmed: 26,
    });
  });

  test("has no number for a moment that was not observed", () => {
    const { steps } = assembleTrace({ ...order, taskId: "other" }, { moments, events });
    expect(steps[0]?.passed.claimed).toBeNaN();
    expect(steps[0]?.requestConfirmed).toBeNaN();
  });
});
