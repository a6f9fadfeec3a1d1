import { agentsOfLane } from "@holdfast/domain";
import { connectBroker, userOf } from "@holdfast/messaging";
import { defineService, disposableStack, repeat } from "@holdfast/runtime";
import { announceInstance, openStateStore } from "@holdfast/state-store";
import { SchedulerConfig } from "./config.ts";
import { consumersAreWell, watchStandstills } from "./intake/watch-standstills.ts";
import { exposeFleet } from "./metrics/expose-fleet.ts";
import { reportUnrecorded } from "./replies/report-unrecorded.ts";
import { startScheduler } from "./scheduler.ts";

/** Claims due steps, asks Agents to do them, and records what they answer, until its signal to stop. */
export const schedulerService = defineService("scheduler", SchedulerConfig, async (service) => {
  const { config, log, instanceId: actor, signal, health, metrics, failpoint } = service;
  const { optimisations, tracing } = service;
  const measured = { optimisations, metrics };
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
    ...measured,
  });
  const connection = { url: config.BROKER_URL, log, ...measured };
  const agents = [...new Set((await store.findLanes()).flatMap(agentsOfLane))];
  const apart = (purpose: string) =>
    connectBroker({ ...connection, name: `${actor} ${purpose}`, topology: "passive", agents: [] });
  await using connections = disposableStack();
  const [broker, notificationBroker, alertBroker] = await connections.useAll([
    connectBroker({
      ...connection,
      name: actor,
      topology: config.BROKER_TOPOLOGY,
      agents,
      maxMessageBytes: config.MAX_MESSAGE_BYTES,
    }),
    apart("notifications"),
    apart("alerts"),
  ]);
  health.check("state store", () => store.ping().then(() => true));
  health.check("broker", () => broker.isReady);
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
    maxInFlight: config.WINDOW,
    batchReserve: config.BATCH_RESERVE,
    pollInterval: config.POLL_INTERVAL,
    identity: config.REPLY_IDENTITY,
    maxMessageBytes: config.MAX_MESSAGE_BYTES,
    ...measured,
    tracing,
  });
  exposeFleet({ metrics, store, ...scheduler });
  const watch = watchStandstills({ store, broker, instance: actor });
  await using _watch = repeat(watch, { name: "standstills", signal, log });
  await using _report = repeat(reportUnrecorded({ broker }), { name: "unrecorded", signal, log });
  const me = { service: "scheduler", instance: actor, slots: config.WINDOW } as const;
  const announce = announceInstance(store, me);
  await using _seen = repeat(announce, { name: "instance", signal, log });
  service.ready();
  await service.stopped;
  await scheduler.ended;
});
