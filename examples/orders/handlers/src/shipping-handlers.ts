import type { Handlers } from "@holdfast/agent";
import type { shipping } from "@holdfast/orders";
import type { PartnerClient } from "./partner-client.ts";

/** Hands parcels to the carrier, and calls them back. */
export const shippingHandlers = (carrier: PartnerClient): Handlers<typeof shipping> => ({
  ship: (body, { idempotencyKey: key, signal }) =>
    carrier.post("/shipping/shipments", { body, key, signal }),

  cancel: ({ key }, { signal }) => carrier.undo("/shipping/shipments", { key, signal }),
});
