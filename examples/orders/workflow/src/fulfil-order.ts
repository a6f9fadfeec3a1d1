import { defineWorkflow } from "@holdfast/workflow";
import { inventory, notifications, payments, shipping } from "./agents.ts";
import { Order } from "./order.ts";

/**
 * The cool-down after the retries of a step: its remote service may be away for ten minutes, and
 * the order still waits for it.
 */
const coolDown = { wait: "2m", times: 6 } as const;

/** Sells goods to a customer, or leaves no trace of having tried. */
export const fulfilOrder = defineWorkflow(
  "fulfil-order.v1",
  Order,
  (order, step) => {
    const { customer, shipTo, lines, currency, paymentMethod, total: amount } = order;

    const reservation = step("reserve", {
      call: inventory.reserve({ lines }),
      completeWithin: "5s",
      retry: { failures: 5, backoff: "500ms", max: "10s" },
      coolDown,
    });

    const risk = step("assess-risk", {
      after: [],
      call: payments.assessRisk({
        customerId: customer.id,
        paymentMethod,
        shipTo,
        amount,
        currency,
      }),
      completeWithin: "5s",
      retry: { failures: 5, backoff: "500ms", max: "10s" },
      coolDown,
    });

    const charge = step("charge", {
      after: [reservation, risk],
      call: payments.charge({ customerId: customer.id, paymentMethod, amount, currency }),
      completeWithin: "5s",
      retry: { failures: 5, backoff: "1s", max: "30s" },
      coolDown,
      undo: { completeWithin: "10s", retry: { failures: 10, backoff: "1s", max: "1m" } },
    });

    const shipment = step("ship", {
      call: shipping.ship({ reservationId: reservation.reservationId, to: shipTo }),
      completeWithin: "5s",
      retry: { failures: 5, backoff: "1s", max: "30s" },
      coolDown,
    });

    // By now the goods are on their way: a mail that does not leave is no reason to call them back.
    const confirmation = step("confirm", {
      call: notifications.confirmOrder({
        to: customer,
        chargeId: charge.chargeId,
        trackingNumber: shipment.trackingNumber,
      }),
      completeWithin: "5s",
      retry: { failures: 10, backoff: "1s", max: "30s" },
      coolDown: { wait: "5m", times: null },
      onFailure: "halt",
    });

    return {
      reservationId: reservation.reservationId,
      chargeId: charge.chargeId,
      trackingNumber: shipment.trackingNumber,
      notificationId: confirmation.notificationId,
    };
  },
  { collection: "orders" },
);
