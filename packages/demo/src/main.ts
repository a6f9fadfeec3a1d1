import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createDatabase,
  DataFolderFault,
  freePort,
  holdfastFolder,
  type LocalStack,
  startLocalStack,
} from "@holdfast/local-stack";
import { isEnded, startSystem, stateOf } from "@holdfast/local-system";
import { commandLine } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { keepRunning } from "./keep-running.ts";
import { killNowAndThen } from "./kill-now-and-then.ts";
import { newsOf } from "./news.ts";
import { readOptions, usage } from "./options.ts";
import { printVerdict } from "./print-verdict.ts";
import { openScreen } from "./screen.ts";
import { type AcceptedOrder, submitOrders } from "./submit-orders.ts";

const folder = join(holdfastFolder(), "demo");
const newsShown = 12;
/** Milliseconds. */
const refresh = 200;

const options = commandLine(readOptions, usage);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const stop = new AbortController();
process.on("SIGINT", () => stop.abort()).on("SIGTERM", () => stop.abort());

process.exitCode = await demonstrate().catch((error: unknown) => {
  if (!(error instanceof DataFolderFault)) throw error;
  process.stderr.write(`${error.message}\n`);
  return 1;
});

async function demonstrate(): Promise<number> {
  await using stack = await startLocalStack({
    purpose: "demo",
    dataFolder: folder,
    fresh: options.fresh,
    log: say,
  });
  const stateStoreUrl = await databaseOf(stack);
  const news: string[] = [];
  let kills = 0;
  const tell = (line: string): void => {
    if (news.includes(line)) return; // Each reply of a task that is being undone says so again.
    news.push(line);
    if (news.length > newsShown) news.shift();
  };

  say("starting the services …");
  const port = await freePort(3_000);
  await using system = await startSystem({
    stateStoreUrl,
    broker: stack.broker,
    dataFolder: join(folder, "partners"),
    count: { operations: 1, scheduler: 2, agent: 2 },
    ports: {
      submission: port,
      operations: await freePort(port + 1),
      partners: await freePort(4_000),
    },
    env: {
      // One user does everything here, and the Schedulers say each time that a task has moved.
      scheduler: { LOG_LEVEL: "debug", EVENTS: "on" },
      submission: { EVENTS: "on" },
      operations: { EVENTS: "on" },
      supervisor: { EVENTS: "on" },
      // Partners as they are: slow, sometimes unwell, and sometimes silent after the deed.
      partners: { LATENCY: "150ms", ERROR_RATE: "0.05", APPLY_THEN_DROP_RATE: "0.03" },
    },
    onLog: (line) => {
      const worthTelling = newsOf(line);
      if (worthTelling !== null) tell(worthTelling);
    },
  });
  await using store = await openStateStore({
    url: stateStoreUrl,
    applicationName: "demo",
    maxConnections: 1,
  });
  say(`orders are taken at ${system.submissionUrl}/v1/orders`);
  say(`operators act at ${system.operationsUrl}`);
  say(`the partners' ledger is at ${system.partnersUrl}/ledger`);
  say("for npm run holdfast -- why, doctor and verify:");
  say(`  export STATE_STORE_URL='${stateStoreUrl}' BROKER_URL='${stack.broker.url}'`);

  const accepted: AcceptedOrder[] = [];
  /** Those that we killed ourselves. */
  const killed = new Set<number>();
  const earlier = await store.countTasks();
  const done = new AbortController();
  const over = AbortSignal.any([stop.signal, done.signal]);
  const submitting = submitOrders({
    submissionUrl: system.submissionUrl,
    orders: options.orders,
    signal: over,
    onAccepted: (order) => accepted.push(order),
  });
  const killing = options.kill
    ? killNowAndThen({
        system,
        signal: over,
        onKill: (name, pid) => {
          kills += 1;
          killed.add(pid);
          tell(`✗ kill -9 of ${name} ${pid}; another one takes its place`);
        },
      })
    : Promise.resolve();
  const keeping = keepRunning({
    system,
    signal: over,
    onEnd: (name, pid) => {
      if (killed.has(pid)) return;
      const line = `✗ ${name} ${pid} has ended; another one takes its place`;
      tell(line);
      // Elsewhere than on a terminal the screen shows no news.
      if (!process.stdout.isTTY) say(line);
    },
  });

  using screen = openScreen(process.stdout);
  const drawing = (async () => {
    while (!over.aborted) {
      const states = without(await store.countTasks().catch(() => earlier), earlier);
      const { submissionUrl } = system;
      screen.show({ submissionUrl, submitted: accepted.length, states, kills, news });
      await sleep(refresh, undefined, { signal: over }).catch(() => {});
    }
  })();

  await submitting;
  if (!options.exit) await untilAborted(stop.signal);
  else for (const { id } of accepted) await untilEnded(system, id);
  done.abort();
  await Promise.all([drawing, killing, keeping]);
  if (stop.signal.aborted) {
    say("\nstopping …");
    return 0;
  }
  return (await printVerdict({ system, store, accepted, kills, say })) ? 0 : 1;
}

/** A database of our own on a server of our own; one that was given by its URL is used as it is. */
async function databaseOf({ postgres }: LocalStack): Promise<string> {
  if (postgres.provider === "url") return postgres.url;
  const url = new URL(postgres.url);
  url.pathname = "/holdfast";
  await createDatabase(postgres.url, "holdfast").catch((error: { readonly code?: string }) => {
    if (error.code !== "42P04") throw error; // It is there from an earlier start.
  });
  return url.href;
}

/** What has come to what an earlier start left. */
function without(
  now: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(now).map(([state, count]) => [state, Math.max(0, count - (before[state] ?? 0))]),
  );
}

async function untilEnded(system: { readonly submissionUrl: string }, id: string): Promise<void> {
  while (!stop.signal.aborted) {
    const state = await stateOf(system, id).catch(() => "");
    if (isEnded(state)) return;
    await sleep(refresh, undefined, { signal: stop.signal }).catch(() => {});
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
