import { connectBroker, wakeHint } from "@holdfast/messaging";
import { repeat, runService } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { SupervisorConfig } from "./config.ts";
import { recoverExpiredSteps } from "./recover-expired-steps.ts";
import { replanStalledTasks } from "./replan-stalled-tasks.ts";
import { resumeGrace } from "./resume-grace.ts";

/** With `--once`: one scan and one sweep, such as from cron. */
const once = process.argv.includes("--once");

await runService("supervisor", SupervisorConfig, async (service) => {
  const { config, log, instanceId: actor, signal, health, failpoint } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
  });
  await using broker = await connectBroker({
    url: config.BROKER_URL,
    name: actor,
    topology: "passive",
    agents: [],
    log,
  });
  health.check("state store", () => store.ping().then(() => true));

  const grace = resumeGrace({
    grace: once ? 0 : config.RESUME_GRACE,
    log,
    clock: () => performance.now(),
  });
  const recover = recoverExpiredSteps({
    store,
    grace,
    hint: wakeHint(broker),
    log,
    failpoint,
    actor,
    rest: config.SCAN_INTERVAL,
  });
  const replan = replanStalledTasks({ store, log, actor, rest: config.SWEEP_INTERVAL });

  if (once) {
    while ((await recover()) === 0);
    await replan();
    return;
  }
  log.info("ready");
  const scans = repeat(recover, { name: "recover", signal, log });
  const sweeps = repeat(replan, { name: "replan", signal, log });
  await Promise.all([scans.ended, sweeps.ended]);
});
