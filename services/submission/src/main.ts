import { limits, submissionQueue } from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import { cancelHints, connectInBackground, wakeHint } from "@holdfast/messaging";
import { fulfilOrder } from "@holdfast/orders";
import { runService } from "@holdfast/runtime";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { SubmissionConfig } from "./config.ts";
import { findOrders } from "./find-orders.ts";
import { openHttp } from "./open-http.ts";
import { tokenFault } from "./operator-gate.ts";
import { operatorRoutes } from "./operator-routes.ts";
import { orderRoutes, orderViews } from "./order-routes.ts";
import { takeOrders } from "./take-orders.ts";

await runService("submission", SubmissionConfig, async (service) => {
  mustBeSafe(service.config.OPERATOR_TOKEN ?? null, service.config.HTTP_HOST);
  const { config, log, instanceId: actor, stopped, health, failpoint } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
  });
  health.check("state store", () => store.ping().then(() => true));

  const { WORKFLOW: workflow, DUTY: duty } = config;
  if (duty !== "operations") {
    await store.registerWorkflow(fulfilOrder.definition);
    await mustBeStored(store, workflow);
  }
  let hint: (() => void) | null = null;
  let cancel: ReturnType<typeof cancelHints> | null = null;
  await using _broker = connectInBackground(
    {
      url: config.BROKER_URL,
      name: actor,
      topology: config.BROKER_TOPOLOGY,
      agents: [],
      maxMessageBytes: config.MAX_MESSAGE_BYTES,
      log,
    },
    async (broker) => {
      hint = wakeHint(broker);
      // For the orders that came before it.
      hint();
      cancel = cancelHints(broker);
      if (duty === "operations") return { [Symbol.asyncDispose]: async () => {} };
      const keepKeysFor = config.MESSAGE_KEYS_KEPT_FOR;
      const take = takeOrders({ store, workflow, hint, log, failpoint, actor, keepKeysFor });
      // An order by message is no larger than one over HTTP: 100 MiB are in hand at most.
      const how = { prefetch: 400, max: 200, maxBytes: limits.payloadBytes };
      return broker.consumeBatches(submissionQueue, how, take);
    },
  );
  const patience = config.REQUEST_TIMEOUT;
  const httpLimits = { connections: config.MAX_CONNECTIONS, requestTimeout: patience };
  await using http = openHttp(health, log, httpLimits);
  const orders = findOrders(store);
  const hinting = { store, orders, hint: () => hint?.() };
  if (duty === "operations") orderViews(http, hinting);
  else {
    orderRoutes(http, {
      ...hinting,
      workflow,
      failpoint,
      actor,
      waiting: { orders: config.MAX_WAITING_ORDERS, patience },
    });
  }
  if (duty !== "orders") {
    operatorRoutes(http, {
      ...hinting,
      cancel: (needless) => cancel?.(needless),
      token: config.OPERATOR_TOKEN ?? null,
    });
  }

  const url = await http.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT });
  log.info({ url }, "ready");
  await stopped;
});

/** Found out at the start, and not by whoever guesses it. */
function mustBeSafe(token: string | null, host: string): void {
  const fault = tokenFault(token, host);
  if (fault !== null) throw new ContractFault("config.invalid", fault);
}

/** Found out at the start, and not by the first customer. */
async function mustBeStored(
  store: Pick<StateStore, "findWorkflow">,
  workflow: string,
): Promise<void> {
  if ((await store.findWorkflow(workflow)) !== null) return;
  throw new ContractFault("config.invalid", `WORKFLOW: no workflow named ${workflow} is stored`);
}
