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
  /** Whether no partner answers at the moment. */
  readonly isDown?: () => boolean;
}

const answers: Readonly<Record<string, object>> = {
  "/inventory/reservations": { reservationId: "r-1" },
  "/payments/assessments": { score: 10, verdict: "accept" },
  "/payments/charges": { chargeId: "c-1" },
  "/shipping/shipments": { shipmentId: "s-1", trackingNumber: "t-1" },
  "/notifications/confirmations": { notificationId: "n-1" },
};

/** The Agents of the shop over partners in memory, which know idempotency keys as the real ones do. */
export function memoryPartners({ refusals = {}, isDown = () => false }: Options = {}) {
  /** What is done and not undone, by key. */
  const effects = new Map<string, string>();
  const mustBeUp = (): void => {
    if (isDown()) throw new TransientFault("partner.unreachable", "The partner does not answer");
  };
  const client: PartnerClient = {
    async post<Output>(path: string, { key }: { readonly key: string }) {
      mustBeUp();
      const refusal = refusals[path];
      if (refusal !== undefined) throw refusal;
      effects.set(key, path);
      return answers[path] as Output;
    },
    async undo(_, { key }) {
      mustBeUp();
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
