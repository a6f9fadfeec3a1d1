import { configureAgents, host } from "@holdfast/agent";
import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { Type } from "typebox";
import { z } from "zod";

const iban = z.string();
const reference = z.string();
const First = z.object({ iban });
const Second = z.object({ iban, reference: reference.optional() });
const Third = z.object({ iban, reference });

/**
 * The Agent as three releases have it: the second may take one more field, and returns one; the
 * third has to take it.
 */
const bankOf = {
  first: defineAgent("bank", { pay: { input: First, output: z.object({ id: z.string() }) } }),
  second: defineAgent("bank", {
    pay: { input: Second, output: z.object({ id: z.string(), kept: z.string() }) },
  }),
  third: defineAgent("bank", { pay: { input: Third, output: z.object({ id: z.string() }) } }),
};

const limits = { startWithin: "5m", completeWithin: "5m", retry: { failures: 1 } } as const;

/** Made with the first release of the Agent. */
export const firstWorkflow = defineWorkflow("payroll.v1", First, (input, step) => {
  step("pay", { ...limits, call: bankOf.first.pay({ iban: input.iban }) });
}).definition;

/** Made with the second one: it gives the new field, and relies on the new output. */
export const secondWorkflow = defineWorkflow("payroll.v2", Third, (input, step) => {
  const paid = step("pay", {
    ...limits,
    call: bankOf.second.pay({ iban: input.iban, reference: input.reference }),
  });
  return { kept: paid.kept };
}).definition;

const Release = Type.Union([Type.Literal("first"), Type.Literal("second"), Type.Literal("third")]);

/** What AGENT_MODULES loads. */
export const agents = configureAgents(Type.Object({ RELEASE: Release }), ({ RELEASE }) => {
  switch (RELEASE) {
    case "first":
      return host(bankOf.first, { pay: async ({ iban: id }) => ({ id }) });
    case "second":
      return host(bankOf.second, {
        pay: async ({ iban: id, reference: kept = "none" }) => ({ id, kept }),
      });
    case "third":
      return host(bankOf.third, { pay: async ({ iban: id }) => ({ id }) });
  }
});
