import {
  deadReplyQueue,
  deadRequestQueue,
  expiredQueue,
  replyQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { connectBroker, wakeHint } from "@holdfast/messaging";
import { repeat, runService } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { claimSteps } from "./claim-steps.ts";
import { SchedulerConfig } from "./config.ts";
import { dispatchSteps } from "./dispatch-steps.ts";
import { dispatches as openDispatches } from "./dispatches.ts";
import { keepDeadLetters } from "./keep-dead-letters.ts";
import { laneWindows } from "./lane-windows.ts";
import { markSteps } from "./mark-steps.ts";
import { putBackExpired } from "./put-back-expired.ts";
import { recordReplies } from "./record-replies.ts";
import { relaySteps } from "./relay-steps.ts";

await runService("scheduler", SchedulerConfig, async (service) => {
  const { config, log, instanceId: actor, signal, stopped, health, failpoint } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
  });
  await using broker = await connectBroker({
    url: config.BROKER_URL,
    name: actor,
    topology: config.BROKER_TOPOLOGY,
    agents: await store.findLanes(),
    log,
  });
  health.check("state store", () => store.ping().then(() => true));
  health.check("broker", () => broker.isReady);

  const dispatches = openDispatches();
  const windows = laneWindows({ store, broker, window: config.WINDOW, log });
  const dispatch = dispatchSteps({ store, broker, dispatches, log, failpoint, actor });
  const relayAfter = () => dispatches.relayAfter();
  const rest = config.POLL_INTERVAL;

  const claiming = claimSteps({
    store,
    windows,
    dispatch,
    hint: wakeHint(broker),
    log,
    failpoint,
    lockedBy: actor,
    relayAfter,
    rest,
  });
  const claims = repeat(() => claiming.round(), { name: "claim", signal, log });
  const { wake } = claims;
  const relaying = relaySteps({ store, dispatches, dispatch, wake, log, relayAfter, rest });
  const marks = repeat(markSteps({ store, dispatches }), { name: "mark", signal, log });
  const relays = repeat(relaying, { name: "relay", signal, log });

  const recording = { store, dispatches, windows, claims: claiming, wake, log, failpoint, actor };
  const identity = config.REPLY_IDENTITY;
  const batch = { prefetch: 500, max: 200 };
  await using _replies = await broker.consumeBatches(
    replyQueue,
    batch,
    recordReplies({ ...recording, identity }),
  );
  await using _expired = await broker.consumeBatches(
    expiredQueue,
    batch,
    putBackExpired({ store, windows, wake, log, actor }),
  );
  await using _deadRequests = await broker.consumeBatches(
    deadRequestQueue,
    batch,
    keepDeadLetters({ store, log, queue: deadRequestQueue }),
  );
  await using _deadReplies = await broker.consumeBatches(
    deadReplyQueue,
    batch,
    keepDeadLetters({ store, log, queue: deadReplyQueue }),
  );
  await using _hints = await broker.consume(wakeQueue, { prefetch: 1 }, async () => wake());
  log.info("ready");

  await stopped;
  await Promise.all([claims.ended, marks.ended, relays.ended]);
  await claiming.drained();
});
