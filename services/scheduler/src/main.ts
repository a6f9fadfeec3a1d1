import { connectBroker, userOf } from "@holdfast/messaging";
import { runService } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { SchedulerConfig } from "./config.ts";
import { startScheduler } from "./scheduler.ts";

await runService("scheduler", SchedulerConfig, async (service) => {
  const { config, log, instanceId: actor, signal, stopped, health, failpoint } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
  });
  await using broker = await connectBroker({
    url: config.BROKER_URL,
    name: actor,
    topology: config.BROKER_TOPOLOGY,
    agents: await store.findLanes(),
    log,
  });
  await using courier = await connectBroker({
    url: config.BROKER_URL,
    name: `${actor} notices`,
    topology: "passive",
    agents: [],
    log,
  });
  await using alerts = await connectBroker({
    url: config.BROKER_URL,
    name: `${actor} alerts`,
    topology: "passive",
    agents: [],
    log,
  });
  health.check("state store", () => store.ping().then(() => true));
  health.check("broker", () => broker.isReady);

  await using scheduler = await startScheduler({
    store,
    broker,
    courier,
    alerts,
    log,
    failpoint,
    actor,
    userId: userOf(config.BROKER_URL),
    signal,
    window: config.WINDOW,
    pollInterval: config.POLL_INTERVAL,
    identity: config.REPLY_IDENTITY,
  });
  log.info("ready");
  await stopped;
  await scheduler.ended;
});
