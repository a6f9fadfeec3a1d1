import { brokerInBackground, connectBroker } from "@holdfast/messaging";
import { defineService, repeat, type ServiceContext } from "@holdfast/runtime";
import { announceInstance, openStateStore, type SupervisorStore } from "@holdfast/state-store";
import { bulkOperations } from "./bulk/bulk-operations.ts";
import { SupervisorConfig } from "./config.ts";
import { housekeeping } from "./retention/housekeeping.ts";
import { shareConnections } from "./share-connections.ts";
import { supervisor } from "./supervisor.ts";

/**
 * Recovers steps whose time is over, does bulk operations and keeps house, until its signal to
 * stop.
 */
export const supervisorService = defineService("supervisor", SupervisorConfig, (service) =>
  supervise(service, "all"),
);

/**
 * One scan, one sweep, one round of bulk operations and one look at the past, such as from cron.
 */
export const supervisorOnce = defineService("supervisor", SupervisorConfig, (service) =>
  supervise(service, "once"),
);

/**
 * How it reaches the broker, whose virtual host is the store's, and where it declares nothing else.
 */
async function connectionOf(
  service: ServiceContext<SupervisorConfig>,
  store: Pick<SupervisorStore, "findStoreId">,
) {
  const { instanceId: name, config, log, metrics, optimisations, signal } = service;
  const url = service.access("BROKER_URL");
  const takesOver = config.BROKER_TAKE_OVER === "on";
  const owner = { storeId: await store.findStoreId(), takesOver };
  const where = { url, owner, name, topology: "passive", agents: [], signal } as const;
  return { ...where, optimisations, metrics, log };
}

async function supervise(
  service: ServiceContext<SupervisorConfig>,
  rounds: "once" | "all",
): Promise<void> {
  const once = rounds === "once";
  const { config, log, instanceId: actor, signal, health, metrics, failpoint } = service;
  const { optimisations, tracing } = service;
  const storeAccess = service.access("STATE_STORE_URL");
  // Until it is connected: readiness says what a start waits for.
  health.check("state store", () => false, storeAccess.trouble);
  await using store = await openStateStore({
    url: storeAccess,
    signal,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
    optimisations,
    metrics,
  });
  // Without the broker nothing can be recovered, and nothing need be: it is no reason to give up.
  const connection = await connectionOf(service, store);
  await using broker = once ? await connectBroker(connection) : brokerInBackground(connection);
  health.check("state store", () => store.ping().then(() => true), storeAccess.trouble);

  const supervising = supervisor({
    store,
    broker,
    log,
    failpoint,
    actor,
    scanInterval: config.SCAN_INTERVAL,
    sweepInterval: config.SWEEP_INTERVAL,
    recoveryDelay: once ? 0 : config.RECOVERY_DELAY,
    metrics,
    tracing,
  });
  // Counting and deleting may take long; a step whose time is over waits for neither.
  const shared = shareConnections(store, Math.max(1, config.STATE_STORE_CONNECTIONS - 1));
  const keeping = housekeeping({
    store: shared,
    log,
    keep: config.RETENTION,
    keepMessages: config.MESSAGE_RETENTION,
    interval: config.SWEEP_INTERVAL,
    metrics,
  });
  const scanInterval = config.SCAN_INTERVAL;
  const bulk = bulkOperations({ store: shared, broker, log, failpoint, scanInterval, metrics });
  if (once) {
    await supervising.once(signal);
    await bulk.once();
    await keeping.once(signal);
    return;
  }
  const me = { service: "supervisor", instance: actor, slots: null } as const;
  const announce = announceInstance(shared, () => me);
  await using _seen = repeat(announce, { name: "instance", signal, log, metrics });
  service.ready();
  await Promise.all([supervising.run(signal), keeping.run(signal), bulk.run(signal)]);
}
