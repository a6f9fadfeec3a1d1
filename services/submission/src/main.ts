import { submissionQueue } from "@holdfast/contracts";
import { wakeHint } from "@holdfast/messaging";
import { fulfilOrder } from "@holdfast/orders";
import { runService } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { SubmissionConfig } from "./config.ts";
import { connectInBackground } from "./connect-in-background.ts";
import { openHttp } from "./open-http.ts";
import { orderRoutes } from "./order-routes.ts";
import { takeOrders } from "./take-orders.ts";

await runService("submission", SubmissionConfig, async (service) => {
  const { config, log, instanceId: actor, stopped, health } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
  });
  await store.registerWorkflow(fulfilOrder.definition);
  health.check("state store", () => store.ping().then(() => true));

  const workflow = fulfilOrder.name;
  let hint: (() => void) | null = null;
  await using _broker = connectInBackground(
    { url: config.BROKER_URL, name: actor, topology: config.BROKER_TOPOLOGY, agents: [], log },
    (broker) => {
      hint = wakeHint(broker);
      const take = takeOrders({ store, workflow, hint, log, actor });
      return broker.consumeBatches(submissionQueue, { prefetch: 500, max: 200 }, take);
    },
  );
  await using http = openHttp(health, log);
  orderRoutes(http, { store, workflow, hint: () => hint?.(), actor });

  const url = await http.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT });
  log.info({ url }, "ready");
  await stopped;
});
