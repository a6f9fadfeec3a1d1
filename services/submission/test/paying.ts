/** A workflow that waits for a payment. */
export const paying = {
  format: 3 as const,
  name: "paying.v1",
  inputSchema: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  signals: {
    paid: {
      type: "object",
      properties: { paymentId: { type: "string" }, amount: { type: "integer", minimum: 1 } },
      required: ["paymentId", "amount"],
    },
  },
  steps: [
    {
      kind: "signal" as const,
      name: "payment",
      signal: "paid",
      within: 86_400_000,
      onDeadline: "fail" as const,
      late: "alert" as const,
      after: [],
      onlyIf: null,
      onFailure: "undo" as const,
    },
  ],
  completeWithin: null,
  output: { $ref: "/steps/payment/payload/paymentId" },
};
