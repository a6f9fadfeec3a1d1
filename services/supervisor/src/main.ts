import { brokerInBackground, connectBroker } from "@holdfast/messaging";
import { repeat, runProcess, runService } from "@holdfast/runtime";
import { announceInstance, openStateStore } from "@holdfast/state-store";
import { bulkOperations } from "./bulk/bulk-operations.ts";
import { SupervisorConfig } from "./config.ts";
import { housekeeping } from "./retention/housekeeping.ts";
import { supervisor } from "./supervisor.ts";

/** With `--once`: one scan, one sweep, one round of bulk operations and one look at the past, such as from cron. */
const once = process.argv.includes("--once");

const run = once ? runProcess : runService;
await run("supervisor", SupervisorConfig, async (service) => {
  const { config, log, instanceId: actor, signal, health, metrics, failpoint } = service;
  const { optimisations, tracing } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
    optimisations,
    metrics,
  });
  // Without the broker nothing can be recovered, and nothing need be: it is no reason to give up.
  const measured = { optimisations, metrics, log };
  const where = { url: config.BROKER_URL, name: actor, topology: "passive", agents: [] } as const;
  const connection = { ...where, ...measured };
  await using broker = once ? await connectBroker(connection) : brokerInBackground(connection);
  health.check("state store", () => store.ping().then(() => true));

  const supervising = supervisor({
    store,
    broker,
    log,
    failpoint,
    actor,
    scanInterval: config.SCAN_INTERVAL,
    sweepInterval: config.SWEEP_INTERVAL,
    grace: once ? 0 : config.RECOVERY_DELAY,
    metrics,
    tracing,
  });
  const keeping = housekeeping({
    store,
    log,
    keep: config.RETENTION,
    keepMessages: config.MESSAGE_RETENTION,
    interval: config.SWEEP_INTERVAL,
  });
  const scanInterval = config.SCAN_INTERVAL;
  const bulk = bulkOperations({ store, broker, log, failpoint, scanInterval });
  if (once) {
    await supervising.once(signal);
    await bulk.once();
    await keeping.once(signal);
    return;
  }
  const announce = announceInstance(store, { service: "supervisor", instance: actor, slots: null });
  await using _seen = repeat(announce, { name: "instance", signal, log });
  log.info("ready");
  await Promise.all([supervising.run(signal), keeping.run(signal), bulk.run(signal)]);
});
