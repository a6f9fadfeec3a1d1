import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";

const Load = z.object({ id: z.string() });

export const crane = defineAgent("crane", {
  lift: { input: Load, output: z.object({ ok: z.boolean() }) },
});
/** Milliseconds that a call takes. */
export const liftMs = 100;

/** One step, a call to the crane. */
export const lifting = defineWorkflow("lifting.v1", Load, (input, step) => {
  step("lift", { call: crane.lift(input), startWithin: "60s", completeWithin: "60s" });
  return null;
});
