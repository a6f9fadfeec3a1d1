import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { terminalText } from "@holdfast/domain";
import { inTurn, overHttp, type SubmittedOrder, submitOrders, untilEnded } from "@holdfast/load";
import { DataFolderFault, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { System } from "@holdfast/processes";
import { commandLine } from "@holdfast/runtime";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { disturb } from "./disturb.ts";
import { draw } from "./draw.ts";
import { type News, newsOf, openNews } from "./news.ts";
import { readOptions, usage } from "./options.ts";
import { idsOf, printVerdict } from "./print-verdict.ts";
import { databaseOf, startDemoSystem } from "./start-demo-system.ts";

const folder = join(holdfastFolder(), "demo");
/** Orders a second: slow enough to watch. */
const rate = 4;
/** Most orders are good, and every kind of trouble comes up early. */
const kindOf = inTurn(
  "good",
  "declined",
  "good",
  "unshippable",
  "good",
  "flaky",
  "good",
  "sold-out",
  "good",
  "fraudulent",
);

const options = commandLine(readOptions, usage);
const say = (line: string): void => void process.stdout.write(`${terminalText(line)}\n`);

const stop = new AbortController();
process.on("SIGINT", () => stop.abort()).on("SIGTERM", () => stop.abort());

process.exitCode = await demonstrate().catch((error: unknown) => {
  if (!(error instanceof DataFolderFault)) throw error;
  process.stderr.write(`${terminalText(error.message)}\n`);
  return 1;
});

async function demonstrate(): Promise<number> {
  const { fresh } = options;
  await using stack = await startLocalStack({
    purpose: "demo",
    dataFolder: folder,
    fresh,
    log: say,
  });
  const stateStoreUrl = await databaseOf(stack);
  const { url, importDefinitions, provider } = stack.broker;
  const news = openNews();
  say("starting the services …");
  const operatorToken = process.env["OPERATOR_TOKEN"] || randomBytes(18).toString("base64url");
  await using system = await startDemoSystem({
    operatorToken,
    stateStoreUrl,
    // A broker of ours keeps its data, also from starts with another database.
    broker: { url, importDefinitions, takesOver: provider !== "url" },
    managementUrl: stack.broker.managementUrl,
    dataFolder: join(folder, "partners"),
    onLog: (line) => {
      const worthShowing = newsOf(line);
      if (worthShowing !== null) news.add(worthShowing);
    },
  });
  await using store = await openStateStore({
    url: stateStoreUrl,
    applicationName: "demo",
    maxConnections: 1,
  });
  printAddresses(system, { stateStoreUrl, brokerUrl: stack.broker.url, operatorToken });

  const run = crypto.randomUUID();
  const { accepted, kills } = await showOrders({ run, system, store, news });
  if (stop.signal.aborted) {
    say("\nstopping …");
    return 0;
  }
  return (await printVerdict({ system, store, stateStoreUrl, run, accepted, kills, say })) ? 0 : 1;
}

interface ShowOptions {
  /** Begins the keys of the orders. */
  readonly run: string;
  readonly system: System;
  readonly store: StateStore;
  readonly news: News;
}

/** Submits orders, disturbs them and shows how they go on, until all have ended or Ctrl-C. */
async function showOrders({ run, system, store, news }: ShowOptions) {
  const done = new AbortController();
  const over = AbortSignal.any([stop.signal, done.signal]);
  const accepted: SubmittedOrder[] = [];
  const submitting = submitOrders({
    run,
    rate,
    ...(options.orders === null ? {} : { orders: options.orders }),
    kindOf,
    http: overHttp(() => [system.submissionUrl]),
    signal: over,
    onAccepted: (order) => accepted.push(order),
  });
  const disturbing = disturb({ system, kill: options.kill, news, say, signal: over });
  const view = () => ({
    submissionUrl: system.submissionUrl,
    submitted: accepted.length,
    kills: disturbing.kills,
    news: news.lines,
  });
  const drawing = draw(store, view, over);

  await submitting;
  if (!options.exit) await untilAborted(stop.signal);
  else await untilEnded(system, idsOf(accepted), stop.signal);
  done.abort();
  await Promise.all([drawing, disturbing.over]);
  return { accepted, kills: disturbing.kills };
}

interface Places {
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
  readonly operatorToken: string;
}

function printAddresses(system: System, { stateStoreUrl, brokerUrl, operatorToken }: Places): void {
  say(`submit orders at ${system.submissionUrl}/v1/orders`);
  say(`operator routes are at ${system.operationsUrl}`);
  say(`look at it all at ${system.operationsUrl}/console/#token=${operatorToken}`);
  say("the operators' token, new at each start:");
  say(`  export HOLDFAST_URL=${system.operationsUrl} HOLDFAST_TOKEN=${operatorToken}`);
  say(`the partners' ledger is at ${system.partnersUrl}/ledger`);
  say("for npm run holdfast -- why, doctor and verify with --direct:");
  say(`  export STATE_STORE_URL='${stateStoreUrl}' BROKER_URL='${brokerUrl}'`);
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
