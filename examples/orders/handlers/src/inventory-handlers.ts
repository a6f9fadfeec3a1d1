import type { Handlers } from "@holdfast/agent";
import type { inventory } from "@holdfast/orders";
import type { PartnerClient } from "./partner-client.ts";

/** Reserves stock in the warehouse, and gives it back. */
export const inventoryHandlers = (warehouse: PartnerClient): Handlers<typeof inventory> => ({
  reserve: (body, { idempotencyKey: key, signal }) =>
    warehouse.post("/inventory/reservations", { body, key, signal }),

  release: ({ key }, { signal }) => warehouse.undo("/inventory/reservations", { key, signal }),
});
