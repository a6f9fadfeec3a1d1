import { host, TransientFault } from "@holdfast/agent";
import { inventory, notifications, payments, shipping } from "@holdfast/orders";
import { inventoryHandlers } from "../src/inventory-handlers.ts";
import { notificationsHandlers } from "../src/notifications-handlers.ts";
import type { PartnerClient } from "../src/partner-client.ts";
import { paymentsHandlers } from "../src/payments-handlers.ts";
import { shippingHandlers } from "../src/shipping-handlers.ts";

interface Options {
  /** Paths that a partner refuses, and what it throws. */
  readonly refusals?: Readonly<Record<string, Error>>;
  /** Whether the partner of this path does not answer at the moment. */
  readonly isDown?: (path: string) => boolean;
}

const answers: Readonly<Record<string, object>> = {
  "/inventory/reservations": { reservationId: "r-1" },
  "/payments/assessments": { score: 10, verdict: "accept" },
  "/payments/charges": { chargeId: "c-1" },
  "/shipping/shipments": { shipmentId: "s-1", trackingNumber: "t-1" },
  "/notifications/confirmations": { notificationId: "n-1" },
};

/**
 * The Agents of the shop over partners in memory, which know idempotency keys as the real ones do.
 */
export function memoryPartners({ refusals = {}, isDown = () => false }: Options = {}) {
  /** What is done and not undone, by key. */
  const effects = new Map<string, string>();
  const mustBeUp = (path: string): void => {
    if (isDown(path))
      throw new TransientFault("partner.unreachable", "The partner does not answer");
  };
  const client: PartnerClient = {
    async post<Output>(path: string, { key }: { readonly key: string }) {
      mustBeUp(path);
      const refusal = refusals[path];
      if (refusal !== undefined) throw refusal;
      effects.set(key, path);
      return answers[path] as Output;
    },
    async undo(path, { key }) {
      mustBeUp(path);
      effects.delete(key);
    },
  };
  return {
    /** The paths of what is done and not undone, one for each idempotency key. */
    effects: (): readonly string[] => [...effects.values()].toSorted(),
    agents: [
      host(inventory, inventoryHandlers(client)),
      host(payments, paymentsHandlers(client)),
      host(shipping, shippingHandlers(client)),
      host(notifications, notificationsHandlers(client)),
    ],
  };
}
