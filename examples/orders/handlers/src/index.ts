import { configureAgents, host } from "@holdfast/agent";
import { inventory, notifications, payments, shipping } from "@holdfast/orders";
import { PartnersConfig } from "./config.ts";
import { inventoryHandlers } from "./inventory-handlers.ts";
import { notificationsHandlers } from "./notifications-handlers.ts";
import { partnerClient } from "./partner-client.ts";
import { paymentsHandlers } from "./payments-handlers.ts";
import { shippingHandlers } from "./shipping-handlers.ts";

/** The four Agents of the shop, each with a client of its partner: what AGENT_MODULES loads. */
export const agents = configureAgents(PartnersConfig, ({ PARTNERS_URL }) => {
  const client = (name: string) => partnerClient(name, PARTNERS_URL);
  return [
    host(inventory, inventoryHandlers(client("inventory"))),
    host(payments, paymentsHandlers(client("payments"))),
    host(shipping, shippingHandlers(client("shipping"))),
    host(notifications, notificationsHandlers(client("notifications"))),
  ];
});
