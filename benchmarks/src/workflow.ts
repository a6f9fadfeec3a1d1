import { Order } from "@holdfast/orders";
import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";

const Payload = z.object({ id: z.string(), padding: z.string() });
const Answer = z.object({ ok: z.boolean() });

export const first = defineAgent("bench-first", { act: { input: Payload, output: Answer } });
export const second = defineAgent("bench-second", { act: { input: Payload, output: Answer } });
export const third = defineAgent("bench-third", { act: { input: Payload, output: Answer } });

/** Its remote service takes its time: see `callMs`. */
export const slow = defineAgent("bench-slow", { act: { input: Payload, output: Answer } });
/** Milliseconds that a call of the slow remote service takes. */
export const callMs = 50;

/** One step, a call to the slow Agent. */
export const slowStep = defineWorkflow("bench-slow-step.v1", Payload, (input, step) => {
  step("slow", { call: slow.act(input), completeWithin: "30s" });
  return null;
});

/**
 * Three calls to the slow Agent, with limits of two seconds. A failure that is counted undoes it.
 */
export const threeSlowSteps = defineWorkflow(
  "bench-three-slow-steps.v1",
  Payload,
  (input, step) => {
    const limits = { startWithin: "2s", completeWithin: "2s", retry: { failures: 1 } } as const;
    step("first", { call: slow.act(input), ...limits });
    step("second", { call: slow.act(input), ...limits });
    step("third", { call: slow.act(input), ...limits });
    return null;
  },
);

/** The same three steps for an order as it is submitted over HTTP. */
export const orderSteps = defineWorkflow(
  "bench-order-steps.v1",
  Order,
  (order, step) => {
    const input = { id: order.customer.id, padding: order.shipTo.street };
    step("first", { call: first.act(input), completeWithin: "30s" });
    step("second", { call: second.act(input), completeWithin: "30s" });
    step("third", { call: third.act(input), completeWithin: "30s" });
    return null;
  },
  { collection: "orders" },
);

/** Three steps one after the other, each a call to an Agent of its own. */
export const threeSteps = defineWorkflow("bench-three-steps.v1", Payload, (input, step) => {
  step("first", { call: first.act(input), completeWithin: "30s" });
  step("second", { call: second.act(input), completeWithin: "30s" });
  step("third", { call: third.act(input), completeWithin: "30s" });
  return null;
});

/** A step that waits, and a call after it. */
export const restingStep = defineWorkflow("bench-resting.v1", Payload, (input, step) => {
  step.sleep("rest", { for: "30d" });
  step("first", { call: first.act(input), completeWithin: "30s" });
  return null;
});

/** A step that waits for a signal, and a call after it. */
export const signalledStep = defineWorkflow("bench-signalled.v1", Payload, (input, step) => {
  step.wait("go", { signal: Payload, within: "30d", onDeadline: "fail" });
  step("first", { call: first.act(input), completeWithin: "30s" });
  return null;
});

/** Five Agents, and for each a workflow of one step. */
export const apart = ["one", "two", "three", "four", "five"].map((name) => {
  const agent = defineAgent(`bench-${name}`, { act: { input: Payload, output: Answer } });
  const workflow = defineWorkflow(`bench-${name}.v1`, Payload, (input, step) => {
    step(name, { call: agent.act(input), completeWithin: "30s" });
    return null;
  });
  return { agent, workflow };
});
