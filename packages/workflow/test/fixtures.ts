import { z } from "zod";
import { defineAgent } from "../src/agent.ts";

const Money = z.object({ amount: z.int(), currency: z.string() });

/** Agents as an author would declare them, for tests. */
export const payments = defineAgent("payments", {
  charge: {
    input: z.object({ price: Money, note: z.string().optional() }),
    output: z.object({ chargeId: z.string() }),
    undo: "refund",
  },
  assess: {
    input: z.object({ price: Money }),
    output: z.object({ verdict: z.enum(["ok", "odd"]) }),
  },
});

export const shipping = defineAgent("shipping", {
  ship: { input: z.object({ chargeId: z.string() }), output: z.null() },
});

export const Order = z.object({ price: Money, gift: z.boolean(), coupon: z.string().optional() });
