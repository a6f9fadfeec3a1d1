import { brokerInBackground, connectBroker } from "@holdfast/messaging";
import { runProcess, runService } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { SupervisorConfig } from "./config.ts";
import { housekeeping } from "./retention/housekeeping.ts";
import { supervisor } from "./supervisor.ts";

/** With `--once`: one scan, one sweep and one look at the past, such as from cron. */
const once = process.argv.includes("--once");

const run = once ? runProcess : runService;
await run("supervisor", SupervisorConfig, async (service) => {
  const { config, log, instanceId: actor, signal, health, failpoint, optimisations } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
    optimisations,
  });
  // Without the broker nothing can be recovered, and nothing need be: it is no reason to give up.
  const connection = {
    url: config.BROKER_URL,
    name: actor,
    topology: "passive" as const,
    agents: [],
    optimisations,
    log,
  };
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
  });
  const keeping = housekeeping({
    store,
    log,
    keep: config.RETENTION,
    keepMessages: config.MESSAGE_RETENTION,
    interval: config.SWEEP_INTERVAL,
  });
  if (once) {
    await supervising.once(signal);
    await keeping.once(signal);
    return;
  }
  log.info("ready");
  await Promise.all([supervising.run(signal), keeping.run(signal)]);
});
