import { AgentConfig, host, PermanentFault, runAgents, TransientFault } from "@holdfast/agent";
import { defineAgent } from "@holdfast/workflow";
import { Type } from "typebox";
import { z } from "zod";

const Config = Type.Object({
  ...AgentConfig.properties,
  /** What this release does with a charge: it has renamed the operation, or its handler refuses. */
  CHARGE: Type.Union([Type.Literal("renamed"), Type.Literal("refused")]),
});

const charge = { input: z.unknown(), output: z.unknown(), undo: "refund" };
const refuse = () => {
  throw new PermanentFault("payments.refused", "This release charges nobody", {
    effect: "none",
  });
};
const refund = () => {
  throw new TransientFault("payments.away", "This release leaves refunds to others");
};

/**
 * The Agent `payments` as another release has it. Each of the two says that a charge had no effect.
 */
await runAgents("agent", Config, ({ CHARGE }) => [
  CHARGE === "renamed"
    ? host(defineAgent("payments", { collect: charge }), { collect: refuse, refund })
    : host(defineAgent("payments", { charge }), { charge: refuse, refund }),
]);
