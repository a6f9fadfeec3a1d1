import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";

const Payload = z.object({ id: z.string(), padding: z.string() });
const Answer = z.object({ ok: z.boolean() });

export const first = defineAgent("bench-first", { act: { input: Payload, output: Answer } });
export const second = defineAgent("bench-second", { act: { input: Payload, output: Answer } });
export const third = defineAgent("bench-third", { act: { input: Payload, output: Answer } });

/** Three steps one after the other, each a call to an Agent of its own. */
export const threeSteps = defineWorkflow("bench-three-steps.v1", Payload, (input, step) => {
  step("first", { call: first.act(input), completeWithin: "30s" });
  step("second", { call: second.act(input), completeWithin: "30s" });
  step("third", { call: third.act(input), completeWithin: "30s" });
  return null;
});
