import { fulfilOrder } from "@holdfast/orders";
import { runService } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { SubmissionConfig } from "./config.ts";
import { hinting } from "./hinting.ts";
import { openHttp } from "./open-http.ts";
import { orderRoutes } from "./order-routes.ts";

await runService("submission", SubmissionConfig, async (service) => {
  const { config, log, instanceId: actor, stopped, health } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
  });
  await store.registerWorkflow(fulfilOrder.definition);
  health.check("state store", () => store.ping().then(() => true));

  await using hints = hinting({ url: config.BROKER_URL, name: actor, log });
  await using http = openHttp(health, log);
  orderRoutes(http, { store, workflow: fulfilOrder.name, hint: hints.hint, actor });

  const url = await http.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT });
  log.info({ url }, "ready");
  await stopped;
});
