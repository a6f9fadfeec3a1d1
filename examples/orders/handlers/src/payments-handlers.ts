import { type Handlers, PermanentFault } from "@holdfast/agent";
import type { payments } from "@holdfast/orders";
import type { PartnerClient } from "./partner-client.ts";

interface Assessment {
  readonly score: number;
  readonly verdict: "accept" | "review" | "reject";
}

/** Takes money through the payment provider, and gives it back. */
export const paymentsHandlers = (provider: PartnerClient): Handlers<typeof payments> => ({
  async assessRisk(body, { idempotencyKey: key, signal }) {
    const { score, verdict } = await provider.post<Assessment>("/payments/assessments", {
      body,
      key,
      signal,
    });
    if (verdict !== "reject") return { score, verdict };
    throw new PermanentFault("payments.suspected_fraud", `The risk score is ${score}`, {
      details: { score },
      effect: "none",
    });
  },

  charge: (body, { idempotencyKey: key, signal }) =>
    provider.post("/payments/charges", { body, key, signal }),

  refund: ({ key }, { signal }) => provider.undo("/payments/charges", { key, signal }),
});
