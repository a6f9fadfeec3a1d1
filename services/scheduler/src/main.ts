import { connectBroker, userOf } from "@holdfast/messaging";
import { repeat, runService } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { SchedulerConfig } from "./config.ts";
import { reportUnrecorded } from "./report-unrecorded.ts";
import { startScheduler } from "./scheduler.ts";
import { consumersAreWell, watchStandstills } from "./watch-standstills.ts";

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
    maxMessageBytes: config.MAX_MESSAGE_BYTES,
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
  health.check("consumers", () => consumersAreWell(broker));

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
    maxMessageBytes: config.MAX_MESSAGE_BYTES,
  });
  await using _watch = repeat(watchStandstills({ store, broker, instance: actor }), {
    name: "standstills",
    signal,
    log,
  });
  await using _report = repeat(reportUnrecorded({ broker }), { name: "unrecorded", signal, log });
  log.info("ready");
  await stopped;
  await scheduler.ended;
});
