import { setTimeout as sleep } from "node:timers/promises";
import { askBroker } from "@holdfast/local-stack";
import { connectBroker } from "@holdfast/messaging";
import { serverUrls } from "@holdfast/runtime";
import type {
  ClientEvent,
  Evidence,
  FaultEvent,
  Observation,
  Plan,
  Sample,
  StatusMessage,
} from "./checker/evidence.ts";
import { listenToStatuses } from "./client/listen-to-statuses.ts";
import { pollOrders } from "./client/poll-orders.ts";
import { submitOrders } from "./client/submit-orders.ts";
import { injectFaults } from "./nemesis/inject-faults.ts";
import { planFaults } from "./nemesis/plan-faults.ts";
import type { ChaosOptions } from "./options.ts";
import type { Rig } from "./system/start-rig.ts";
import { failureThreshold } from "./system/workflow.ts";
import { readLedger } from "./witness/read-ledger.ts";
import { readQueues } from "./witness/read-queues.ts";
import { readStore } from "./witness/read-store.ts";
import { sampleStore } from "./witness/sample-store.ts";

interface Options extends Pick<ChaosOptions, "profile" | "seed" | "classes"> {
  readonly rig: Rig;
  readonly random: () => number;
  readonly say: (line: string) => void;
}

const pollers = ["poller-1", "poller-2", "poller-3"];
/** Milliseconds after the last fault within which everything must have ended. */
const healWithin = 45_000;
/** Milliseconds: what the Supervisor may rest and hold back, and a breath. */
const recoveryMs = 8_000;
/** What the pools of all services may hold together, twice: the connections of the dead linger. */
const maxConnections = 80;
const rest = 200;

/** One round: load and faults side by side, then peace; resolves to what all witnesses say. */
export async function runChaos(options: Options): Promise<Evidence> {
  const { rig, profile, seed, classes, random, say } = options;
  const since = Date.now();
  const run = `chaos-${seed}-${since}`;
  const heard = openNotebook();
  const over = new AbortController();
  const { signal } = over;
  const planned = planFaults({
    classes,
    faults: profile.faults,
    duration: profile.duration,
    random,
  });

  const brokerUrl = rig.system.broker.urlOf("application");
  await using broker = await connectBroker({
    url: brokerUrl,
    name: "chaos",
    topology: "passive",
    agents: [],
    log: { warn: () => {}, error: () => {} },
  });
  const statusQueue = `status.application.${run}`;
  const urls = () => rig.fleet.submissionUrls();
  const listener = await listenToStatuses({
    broker,
    brokerUrl: serverUrls(brokerUrl)[0],
    queue: statusQueue,
    record: (message) => heard.statuses.push(message),
    signal,
  });
  const choose = () => heard.recent[Math.floor(random() * heard.recent.length)] ?? null;
  const watching = [
    sampleStore({ rig, record: (sample) => heard.samples.push(sample), signal }),
    ...pollers.map((observer) =>
      pollOrders({
        observer,
        urls,
        choose,
        signal,
        record: (seen) => heard.observations.push(seen),
      }),
    ),
  ];
  const submitting = submitOrders({
    orders: profile.orders,
    rate: (profile.orders * 1_000) / profile.duration,
    run,
    urls,
    broker,
    statusQueue,
    signal,
    record: heard.client,
  });
  await injectFaults({
    rig,
    plan: planned,
    random,
    signal,
    record: (fault) => {
      heard.faults.push(fault);
      say(describe(fault));
    },
    poisoned: (messageId) => heard.poison.push(messageId),
  });
  say("all faults are over; waiting until every order has ended …");
  const peaceAt = performance.now();
  const isPeace = await untilEnded(rig, submitting);
  say(`${isPeace ? "ended" : "not all ended"} after ${Math.round(performance.now() - peaceAt)} ms`);
  over.abort();
  await Promise.all([submitting, ...watching]);
  const queues = await quietQueues(rig);
  await listener[Symbol.asyncDispose]();
  await askBroker(rig.broker.url, (channel) => channel.deleteQueue(statusQueue));
  return {
    plan: planOf(options, planned.length),
    history: heard.history,
    faults: heard.faults,
    poison: heard.poison,
    observations: heard.observations,
    statuses: heard.statuses,
    samples: heard.samples,
    queues,
    ledger: await readLedger(rig.system.partnersUrl, since),
    ...(await readStore(rig, since)),
  };
}

const planOf = ({ profile, seed, classes }: Options, faults: number): Plan => ({
  seed,
  orders: profile.orders,
  faults,
  classes: classes.map(({ name }) => name),
  failureThreshold,
  recoveryMs,
  maxConnections,
});

const recentOrders = 30;

/** What is written down while the run lasts. */
function openNotebook() {
  const history: ClientEvent[] = [];
  const recent: string[] = [];
  return {
    history,
    recent,
    faults: [] as FaultEvent[],
    poison: [] as string[],
    observations: [] as Observation[],
    statuses: [] as StatusMessage[],
    samples: [] as Sample[],
    client: (event: ClientEvent): void => {
      history.push(event);
      if (event.type !== "ok" || event.taskId === null) return;
      recent.push(event.taskId);
      if (recent.length > recentOrders) recent.shift();
    },
  };
}

const describe = (fault: FaultEvent): string => {
  const { class: name, target, from, healedAt, error } = fault;
  const time = new Date(from).toISOString().slice(11, 23);
  return error === null
    ? `${time}  ${name}: ${target} (${healedAt - from} ms)`
    : `${time}  ${name} could not be injected: ${error}`;
};

/** Whether all orders were answered and have ended within the time. */
async function untilEnded(rig: Rig, submitting: Promise<void>): Promise<boolean> {
  const isAnswered = submitting.then(() => true);
  const giveUpAt = performance.now() + healWithin;
  while (performance.now() < giveUpAt) {
    const answered = await Promise.race([isAnswered, sleep(rest, false)]);
    if (answered && (await openOrders(rig)) === 0) return true;
    await sleep(rest);
  }
  return false;
}

async function openOrders({ query }: Rig): Promise<number> {
  const rows = await query<{ open: number }>(
    `select ((select count(*) from state.tasks where process_state not in ('processed', 'compensated'))
          + (select count(*) from state.outbox))::integer as open`,
  );
  return rows[0]?.open ?? 1;
}

const quietWithin = 10_000;

/** The queues once nothing moves any more, or after a while all the same. */
async function quietQueues(rig: Rig) {
  const giveUpAt = performance.now() + quietWithin;
  for (;;) {
    const queues = await readQueues(rig);
    const isQuiet = queues.every(({ messages }) => messages === 0);
    if (isQuiet || performance.now() > giveUpAt) return queues;
    await sleep(rest);
  }
}
