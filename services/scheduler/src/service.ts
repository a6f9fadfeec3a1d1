import { agentsOfLane } from "@holdfast/domain";
import { type Broker, connectBroker, userOf } from "@holdfast/messaging";
import { defineService, disposableStack, repeat, type ServiceContext } from "@holdfast/runtime";
import { announceInstance, openStateStore, type SchedulerStore } from "@holdfast/state-store";
import type { Static } from "typebox";
import { SchedulerConfig } from "./config.ts";
import { consumersAreWell, watchStalledConsumers } from "./intake/watch-stalled-consumers.ts";
import { exposeFleet } from "./metrics/expose-fleet.ts";
import { reportUnrecorded } from "./replies/report-unrecorded.ts";
import { startScheduler } from "./scheduler.ts";

type Service = ServiceContext<Static<typeof SchedulerConfig>>;

/**
 * Claims due steps, asks Agents to do them, and records what they answer, until its signal to stop.
 */
export const schedulerService = defineService("scheduler", SchedulerConfig, async (service) => {
  const { config, log, instanceId: actor, signal, health, metrics, failpoint } = service;
  const { optimisations, tracing } = service;
  const measured = { optimisations, metrics };
  const storeAccess = service.access("STATE_STORE_URL");
  const brokerAccess = service.access("BROKER_URL");
  // Until they are connected: readiness says what a start waits for.
  health.check("state store", () => false, storeAccess.trouble);
  health.check("broker", () => false, brokerAccess.trouble);
  await using store = await openStateStore({
    url: storeAccess,
    signal,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
    ...measured,
  });
  const where = await connectionOf(service, store);
  const agents = [...new Set((await store.findLanes()).flatMap(agentsOfLane))];
  const apart = (purpose: string) =>
    connectBroker({ ...where, name: `${actor} ${purpose}`, topology: "passive", agents: [] });
  await using connections = disposableStack();
  const [broker, notificationBroker, alertBroker] = await connections.useAll([
    connectBroker({
      ...where,
      name: actor,
      topology: config.BROKER_TOPOLOGY,
      agents,
      maxMessageBytes: config.MAX_MESSAGE_BYTES,
    }),
    apart("notifications"),
    apart("alerts"),
  ]);
  health.check("state store", () => store.ping().then(() => true), storeAccess.trouble);
  health.check("broker", () => broker.isReady, brokerAccess.trouble);
  health.check("consumers", () => consumersAreWell(broker));
  await using scheduler = await startScheduler({
    store,
    broker,
    notificationBroker,
    alertBroker,
    log,
    failpoint,
    actor,
    userId: userOf(config.BROKER_URL),
    signal,
    maxInFlight: config.MAX_IN_FLIGHT,
    batchReserve: config.BATCH_RESERVE,
    pollInterval: config.POLL_INTERVAL,
    identity: config.REPLY_IDENTITY,
    maxMessageBytes: config.MAX_MESSAGE_BYTES,
    ...measured,
    tracing,
  });
  exposeFleet({ metrics, store, ...scheduler });
  await using _reports = reports(service, { store, broker });
  service.ready();
  await service.stopped;
  await scheduler.ended;
});

/** How it reaches the broker, whose virtual host is the store's. */
async function connectionOf(
  { config, log, signal, metrics, optimisations, access }: Service,
  store: Pick<SchedulerStore, "findStoreId">,
) {
  const takesOver = config.BROKER_TAKE_OVER === "on";
  const owner = { storeId: await store.findStoreId(), takesOver };
  return { url: access("BROKER_URL"), owner, signal, log, optimisations, metrics };
}

/** What this Scheduler says of itself beside its work, over and over. */
function reports(
  service: Service,
  { store, broker }: { readonly store: SchedulerStore; readonly broker: Broker },
): AsyncDisposable {
  const { config, log, instanceId: instance, signal, metrics } = service;
  const repeated = { signal, log, metrics };
  const stack = disposableStack();
  const watch = watchStalledConsumers({ store, broker, instance });
  stack.use(repeat(watch, { name: "stalledConsumers", ...repeated }));
  stack.use(repeat(reportUnrecorded({ broker }), { name: "unrecorded", ...repeated }));
  const me = { service: "scheduler", instance, slots: config.MAX_IN_FLIGHT } as const;
  stack.use(
    repeat(
      announceInstance(store, () => me),
      { name: "instance", ...repeated },
    ),
  );
  return stack;
}
