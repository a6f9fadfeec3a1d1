import { setTimeout as sleep } from "node:timers/promises";
import {
  byMessage,
  inTurn,
  judgeOrders,
  judgeSubmitted,
  overHttp,
  percentile,
  type SubmittedOrder,
  submitOrders,
} from "@holdfast/load";
import { connectBroker } from "@holdfast/messaging";
import { type LogLine, openStore, operatorToken, type SystemBroker } from "@holdfast/processes";
import { type FuzzReport, isClean } from "./fuzz-report.ts";
import { count, newTally, sendInputs, type Tally } from "./send/send-inputs.ts";
import { openMessageSender } from "./send/send-messages.ts";
import { openSentLog, type SentLog } from "./send/sent-log.ts";
import { streamBaits } from "./system/bait-stream.ts";
import { sendCanaries } from "./system/canaries.ts";
import { type FuzzedSystem, startFuzzedSystem } from "./system/fuzzed-system.ts";
import { startHostileAgent } from "./system/hostile-agent.ts";
import { countOf, shopOrders } from "./system/read-orders.ts";
import { fullQueues } from "./system/read-queues.ts";
import { settle } from "./system/settle.ts";

export interface FuzzOptions {
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
  readonly importDefinitions: SystemBroker["importDefinitions"];
  /** For the partners' ledger, and for the inputs that did harm. */
  readonly folder: string;
  readonly seconds: number;
  /** It takes longer until so many inputs are sent, as fewer would prove nothing; none where nothing is said. */
  readonly least?: number;
  /** Inputs a second. */
  readonly rate: number;
  /** Orders a second, before and while hostile inputs come. */
  readonly orders: number;
  readonly seed: number;
  /** The number of the first input. */
  readonly from: number;
  readonly say: (line: string) => void;
  /** Called once all services run, before the first order. */
  readonly started?: () => void;
  readonly onLog?: (line: LogLine, service: string) => void;
}

/** Tasks a second for the hostile Agent. */
const baitRate = 3;
/** Without those that the partners make wait on purpose: how long the others take is measured. */
const kindOf = inTurn("good", "good", "good", "unshippable", "good", "declined");
/** For so much of the time of the inputs the system is left alone first, to compare with. */
const quietPart = 1 / 3;
/**
 * Milliseconds in which orders are not timed, half the quiet part at most: services compile, and open
 * connections, when orders and when hostile inputs first arrive.
 */
const longestWarmUp = 20_000;
/** Milliseconds within which all must have ended after the last input. */
const patience = 60_000;
/** How many of the last orders and baits inputs refer to. */
const recent = 50;

interface Run extends FuzzOptions {
  readonly fuzzed: FuzzedSystem;
  readonly userId: string;
  readonly tally: Tally;
  readonly sent: SentLog;
  readonly accepted: SubmittedOrder[];
}

/** Sends hostile inputs to a system at work. Resolves once all has ended and was judged. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  await using fuzzed = await startFuzzedSystem({ ...options, dataFolder: options.folder });
  options.started?.();
  const run: Run = {
    ...options,
    fuzzed,
    userId: decodeURIComponent(new URL(options.brokerUrl).username),
    tally: newTally(),
    sent: openSentLog(options.folder),
    accepted: [],
  };
  return await judgeRun(run, await load(run));
}

const runsOf = ({ seed, from }: FuzzOptions) => ({
  quiet: `quiet-${seed}-${from}`,
  fuzz: `order-${seed}-${from}`,
});

/** Orders alone, then orders beside hostile inputs. Resolves to the number after the last input. */
async function load(run: Run): Promise<number> {
  const { fuzzed, stateStoreUrl, brokerUrl, seconds, userId, tally, sent, accepted, say } = run;
  const { system } = fuzzed;
  const url = () => system.submissionUrl;
  const operationsUrl = () => system.operationsUrl;
  const urlOf = (target: string) => (target.startsWith("operator") ? operationsUrl() : url());
  await using messages = await openMessageSender(brokerUrl);
  await using broker = await connectBroker({
    url: system.broker.urlOf("application"),
    name: "fuzz",
    topology: "passive",
    agents: [],
    log: { warn: () => {}, error: () => {} },
  });
  // Opened before the inputs come: beside them this process may be too busy to connect in time.
  await using store = await connectStore(stateStoreUrl);
  const streamOrders = (name: string, duration: number): Promise<void> =>
    submitOrders({
      run: name,
      rate: run.orders,
      duration,
      kindOf,
      http: overHttp(() => [url()]),
      message: byMessage(broker),
      onAccepted: (order) => accepted.push(order),
      // What cannot be submitted at all shows that something stands still.
      signal: AbortSignal.timeout(duration + patience),
    });
  const names = runsOf(run);
  const quietMs = Math.round(seconds * quietPart * 1_000);
  say(`submitting orders alone for ${quietMs} ms …`);
  await streamOrders(names.quiet, quietMs);

  const baits: string[] = [];
  const order = () => oneOf(accepted.slice(-recent))?.taskId ?? null;
  const around = { userId, operatorToken, order, bait: () => oneOf(baits.slice(-recent)) };
  await using _agent = await startHostileAgent({
    ...run,
    send: (message) => {
      sent.add(null, message);
      void messages.send(message).then((outcome) => count(message, tally, outcome));
    },
  });
  say(`submitting orders and hostile inputs for ${seconds} s …`);
  const over = whenSent(run);
  const submitted = (taskId: string) => void baits.push(taskId);
  const [next] = await Promise.all([
    sendInputs({ ...run, around, urlOf, messages, log: sent }, over),
    streamOrders(names.fuzz, seconds * 1_000),
    streamBaits({ store, rate: baitRate, submitted }, over),
    writeCulprits(run, over),
  ]);
  say("all inputs are sent; waiting for all tasks to end …");
  // The hostile Agent goes on: baits end by its answers, or without.
  await settle({ stateStoreUrl, brokerUrl, operationsUrl, patience });
  return next;
}

/** Aborts when the time is over and enough inputs were sent. */
function whenSent({ seconds, least = 0, tally }: Run): AbortSignal {
  const over = new AbortController();
  const end = performance.now() + seconds * 1_000;
  const look = setInterval(() => {
    if (performance.now() < end || tally.sent < least) return;
    clearInterval(look);
    over.abort();
  }, 50);
  return over.signal;
}

const oneOf = <Item>(items: readonly Item[]): Item | null =>
  items[Math.floor(Math.random() * items.length)] ?? null;

/** Milliseconds before the end of a process in which its culprit must have been sent. */
const suspectWithin = 3_000;

/** Writes down what had been sent when a process ended. */
async function writeCulprits({ fuzzed, sent, say }: Run, signal: AbortSignal): Promise<void> {
  let written = 0;
  while (!signal.aborted) {
    const { crashes } = fuzzed;
    for (const { service, code } of crashes.slice(written)) {
      const file = sent.write(`before-crash-${(written += 1)}`, suspectWithin);
      say(`${service} ended with ${code}; what was sent before: ${file}`);
    }
    await sleep(100, undefined, { signal }).catch(() => {});
  }
}

async function judgeRun(run: Run, next: number): Promise<FuzzReport> {
  const { fuzzed, stateStoreUrl, brokerUrl, seed, tally, accepted, sent, say } = run;
  const operationsUrl = () => fuzzed.system.operationsUrl;
  const settled = await settle({ stateStoreUrl, brokerUrl, operationsUrl, patience });
  const deadLettered = await countOf(stateStoreUrl, "dead_letters");
  const rejected = await countOf(stateStoreUrl, "rejected_replies");
  const deaf = await sendCanaries({ brokerUrl, stateStoreUrl, patience });
  const ids = [...new Set([...(await shopOrders(stateStoreUrl)), ...tally.accepted])];
  const verdict = await judge(run, ids);
  const names = runsOf(run);
  const warmUp = Math.min(longestWarmUp, (run.seconds * 1_000 * quietPart) / 2);
  const quiet = await judgeSubmitted(stateStoreUrl, names.quiet, accepted, { warmUp });
  const fuzz = await judgeSubmitted(stateStoreUrl, names.fuzz, accepted, { warmUp });
  const crashes = [...fuzzed.crashes];
  await fuzzed[Symbol.asyncDispose]();
  // What a consumer held and never settled is back in its queue now.
  const held = await fullQueues(brokerUrl);
  const witnesses = [
    ...crashes.map(({ service, code, said }) => `${service} ended with ${code}: ${said.at(-1)}`),
    ...settled.open,
    ...deaf.map((queue) => `nothing is read from ${queue}`),
    ...held.map((queue) => `messages are left in ${queue}`),
    ...verdict.witnesses,
    ...quiet.wrong,
    ...fuzz.wrong,
    ...verdict.violations.map((one) => JSON.stringify(one)),
  ];
  const report = {
    seed,
    sent: tally.sent,
    refused: tally.refused + rejected,
    deadLettered,
    crashed: crashes.length,
    stalled: settled.open.length + deaf.length + held.length + tally.unanswered,
    fivexx: tally.fivexx,
    lost: verdict.lost + verdict.error + quiet.wrong.length + fuzz.wrong.length,
    doubled: verdict.doubled,
    violations: verdict.violations.length,
    orders: ids.length,
    p99QuietMs: p99Of(quiet.times),
    p99FuzzMs: p99Of(fuzz.times),
    next,
    byTarget: Object.fromEntries(tally.byTarget),
    logged: Object.fromEntries(fuzzed.logged),
    witnesses: witnesses.slice(0, 30),
  };
  if (!isClean(report))
    say(`the last inputs: ${sent.write("last-inputs", Number.MAX_SAFE_INTEGER)}`);
  return report;
}

async function judge({ fuzzed, stateStoreUrl: url }: Run, ids: readonly string[]) {
  await using store = await connectStore(url);
  const { submissionUrl, partnersUrl } = fuzzed.system;
  return await judgeOrders({ submissionUrl, partnersUrl, store }, ids);
}

const connectStore = (url: string) =>
  openStore({ url, applicationName: "fuzz", maxConnections: 1 });

const p99Of = (times: readonly number[]): number =>
  times.length === 0 ? 0 : Math.round(percentile(times, 0.99));
