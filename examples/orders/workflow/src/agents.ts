import { defineAgent } from "@holdfast/workflow";
import { z } from "zod";
import { Address, Currency, Customer, OrderLine } from "./order.ts";

const Price = { amount: z.int().min(0), currency: Currency };

/** Holds the goods in the warehouse until they are shipped. */
export const inventory = defineAgent("inventory", {
  /** All lines or none. */
  reserve: {
    input: z.object({ lines: z.array(OrderLine.pick({ sku: true, quantity: true })).min(1) }),
    output: z.object({ reservationId: z.string() }),
    undo: "release",
  },
});

/** Takes the money and gives it back. */
export const payments = defineAgent("payments", {
  /**
   * Asks, and does nothing that could be undone. An order that is refused here ends in a permanent
   * fault.
   */
  assessRisk: {
    input: z.object({
      customerId: z.string(),
      paymentMethod: z.string(),
      shipTo: Address.pick({ country: true }),
      ...Price,
    }),
    output: z.object({ score: z.int().min(0).max(100), verdict: z.enum(["accept", "review"]) }),
  },
  charge: {
    input: z.object({ customerId: z.string(), paymentMethod: z.string(), ...Price }),
    output: z.object({ chargeId: z.string() }),
    undo: "refund",
  },
});

/** Brings the goods to the customer; until they have left, it can be stopped. */
export const shipping = defineAgent("shipping", {
  ship: {
    input: z.object({ reservationId: z.string(), to: Address }),
    output: z.object({ shipmentId: z.string(), trackingNumber: z.string() }),
    undo: "cancel",
  },
});

/** Tells the customer. What has been said cannot be unsaid, so this comes last. */
export const notifications = defineAgent("notifications", {
  confirmOrder: {
    input: z.object({
      to: Customer.pick({ name: true, email: true }),
      chargeId: z.string(),
      trackingNumber: z.string(),
    }),
    output: z.object({ notificationId: z.string() }),
  },
});
