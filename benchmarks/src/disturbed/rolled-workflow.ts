import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";

const Payload = z.object({ id: z.string(), padding: z.string() });
const Noted = Payload.extend({ note: z.string().optional() });
const Answer = z.object({ ok: z.boolean() });
const Kept = Answer.extend({ kept: z.string() });

/** An Agent as two releases have it: the second one may take a note, and returns what it kept. */
export const rolled = {
  first: defineAgent("bench-rolled", { act: { input: Payload, output: Answer } }),
  second: defineAgent("bench-rolled", { act: { input: Noted, output: Kept } }),
};

/** A failure that is counted undoes the order. */
const limits = { startWithin: "2s", completeWithin: "2s", retry: { failures: 1 } } as const;

/** Made with the first release of the Agent. */
export const firstVersion = defineWorkflow("bench-rolled.v1", Payload, (input, step) => {
  step("first", { call: rolled.first.act(input), ...limits });
  step("second", { call: rolled.first.act(input), ...limits });
  step("third", { call: rolled.first.act(input), ...limits });
  return null;
});

/** Made with the second one: its steps give the new field, and rely on the new output. */
export const secondVersion = defineWorkflow("bench-rolled.v2", Payload, (input, step) => {
  const { id, padding } = input;
  const first = step("first", { call: rolled.second.act({ id, padding, note: id }), ...limits });
  const call = rolled.second.act({ id, padding, note: first.kept });
  const second = step("second", { call, ...limits });
  step("third", { call: rolled.second.act({ id, padding, note: second.kept }), ...limits });
  return { kept: second.kept };
});
