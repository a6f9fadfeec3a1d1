import { host, PermanentFault, runAgents } from "@holdfast/agent";
import { inventory, notifications, payments, shipping } from "@holdfast/orders";
import { AgentHostConfig } from "./config.ts";
import { inventoryHandlers } from "./handlers/inventory-handlers.ts";
import { notificationsHandlers } from "./handlers/notifications-handlers.ts";
import { partnerClient } from "./handlers/partner-client.ts";
import { paymentsHandlers } from "./handlers/payments-handlers.ts";
import { shippingHandlers } from "./handlers/shipping-handlers.ts";

await runAgents("agent", AgentHostConfig, ({ AGENTS, PARTNERS_URL }) => {
  const client = (name: string) => partnerClient(name, PARTNERS_URL);
  const agents = [
    host(inventory, inventoryHandlers(client("inventory"))),
    host(payments, paymentsHandlers(client("payments"))),
    host(shipping, shippingHandlers(client("shipping"))),
    host(notifications, notificationsHandlers(client("notifications"))),
  ];
  const wanted = AGENTS.split(",");
  const unknown = wanted.filter((name) => !agents.some((agent) => agent.name === name));
  if (unknown.length > 0) {
    throw new PermanentFault("config.invalid", `AGENTS names no such Agent: ${unknown.join(", ")}`);
  }
  return agents.filter((agent) => wanted.includes(agent.name));
});
