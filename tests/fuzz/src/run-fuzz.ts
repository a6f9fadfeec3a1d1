import { setTimeout as sleep } from "node:timers/promises";
import {
  byMessage,
  inTurn,
  judgeOrders,
  judgeSubmitted,
  newTask,
  overHttp,
  percentile,
  type SubmittedOrder,
  submitOrders,
} from "@holdfast/load";
import { openQueries, type Queries } from "@holdfast/local-stack";
import { connectBroker } from "@holdfast/messaging";
import {
  jumpClock,
  type LogLine,
  openStore,
  operatorToken,
  type SystemBroker,
} from "@holdfast/processes";
import type { StateStore } from "@holdfast/state-store";
import { type FuzzReport, isClean } from "./fuzz-report.ts";
import type { InputClassName } from "./inputs/hostile-input.ts";
import type { DecisionContext, HostileMessage } from "./inputs/input.ts";
import type { Witnesses } from "./send/consumers.ts";
import { count, newTally, sendInputs, type Tally } from "./send/send-inputs.ts";
import { type MessageSender, openMessageSender } from "./send/send-messages.ts";
import { openSentLog, type SentLog } from "./send/sent-log.ts";
import { isStalled, sendVolleys, type Volley } from "./send/volleys.ts";
import { sendCanaries } from "./system/canaries.ts";
import { type FuzzedSystem, startFuzzedSystem } from "./system/fuzzed-system.ts";
import { baitWorkflow, startHostileAgent } from "./system/hostile-agent.ts";
import { countOf, shopOrders } from "./system/read-orders.ts";
import { fullQueues } from "./system/read-queues.ts";
import { releaseRemotes } from "./system/resume-all.ts";
import { type Settled, settle } from "./system/settle.ts";

export interface FuzzOptions {
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
  readonly importDefinitions: SystemBroker["importDefinitions"];
  /** The folder for the partners' ledger, and for the inputs that did harm. */
  readonly folder: string;
  readonly seconds: number;
  /**
   * It takes longer until so many inputs are sent, as fewer would prove nothing; none where nothing
   * is said.
   */
  readonly least?: number;
  /** Inputs a second. */
  readonly rate: number;
  /** Orders a second, before and while hostile inputs come. */
  readonly orders: number;
  readonly seed: number;
  /** The number of the first input. */
  readonly from: number;
  /** What the inputs are hostile by. */
  readonly classes: readonly InputClassName[];
  readonly say: (line: string) => void;
  /** Called once all services run, before the first order. */
  readonly started?: () => void;
  readonly onLog?: (line: LogLine, service: string) => void;
}

/** Tasks a second for the hostile Agent. */
const baitRate = 3;
/**
 * Kinds of orders without those that the partners make wait on purpose: how long the others take is
 * measured.
 */
const kindOf = inTurn("good", "good", "good", "unshippable", "good", "declined");
/** The part of the time of the inputs for which the system is left alone first, to compare with. */
const quietPart = 1 / 3;
/**
 * Milliseconds in which orders are not timed, half the quiet part at most: services compile, and
 * open connections, when orders and when hostile inputs first arrive.
 */
const longestWarmUp = 20_000;
/** Milliseconds within which what a run has left must move, and has ended, after the last input. */
const [timeout, limit] = [60_000, 600_000];
/** How many of the last orders and baits inputs refer to. */
const recent = 50;

interface Run extends FuzzOptions {
  readonly fuzzed: FuzzedSystem;
  readonly userId: string;
  readonly tally: Tally;
  readonly sent: SentLog;
  readonly accepted: SubmittedOrder[];
  readonly volleys: Volley[];
  /** Milliseconds for which transactions were seen open. */
  readonly transactions: number[];
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
    volleys: [],
    transactions: [],
  };
  return await judgeRun(run, await load(run));
}

/** What a run left behind once all its inputs were sent. */
interface Loaded {
  /** The number after the last input. */
  readonly next: number;
  readonly settled: Settled;
}

const runsOf = ({ seed, from }: FuzzOptions) => ({
  quiet: `quiet-${seed}-${from}`,
  fuzz: `order-${seed}-${from}`,
});

/**
 * Orders alone, then orders beside hostile inputs. Resolves once all tasks have ended, or have had
 * the time to.
 */
async function load(run: Run): Promise<Loaded> {
  const { fuzzed, stateStoreUrl, brokerUrl, seconds, userId, tally, sent, accepted, say } = run;
  const { system } = fuzzed;
  const url = () => system.submissionUrl;
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
  await using queries = await openQueries(stateStoreUrl);
  const seen = witnessesOf(queries, fuzzed);
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
      signal: AbortSignal.timeout(duration + timeout),
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
  fuzzed.inputsBegin();
  const over = whenSent(run);
  const submitted = (taskId: string) => void baits.push(taskId);
  const [next] = await Promise.all([
    sendHostile(run, { around, messages, seen }, over),
    streamOrders(names.fuzz, seconds * 1_000),
    streamBaits({ store, rate: baitRate, submitted }, over),
    keepAsking(run, over),
    watchTransactions(stateStoreUrl, (ms) => run.transactions.push(ms), over),
    writeCulprits(run, over),
  ]);
  say("all inputs are sent; waiting for all tasks to end …");
  // The hostile Agent goes on until then: without its answers no bait ends.
  const waiting = { ...run, operationsUrl: () => system.operationsUrl, timeout, limit };
  return { next, settled: await settle(waiting) };
}

const witnessesOf = (queries: Queries, { refused }: FuzzedSystem): Witnesses => ({
  has: async (sql) => (await queries.query(sql)).length > 0,
  refused: (taskId) => refused.has(taskId),
});

interface Sending {
  readonly around: DecisionContext;
  readonly messages: MessageSender;
  readonly seen: Witnesses;
}

/**
 * Sends single inputs and volleys, and has clocks jump. Resolves to the number after the last
 * input.
 */
async function sendHostile(
  run: Run,
  { around, messages, seen }: Sending,
  signal: AbortSignal,
): Promise<number> {
  const { fuzzed, tally, sent, volleys, classes } = run;
  const { system } = fuzzed;
  const urlOf = (service: "submission" | "operations") =>
    service === "operations" ? system.operationsUrl : system.submissionUrl;
  const volleyOptions = {
    ...run,
    around,
    messages,
    seen,
    sent(message: HostileMessage) {
      sent.add(null, message);
      count(message, tally, "taken");
      tally.byClass.set("deep", (tally.byClass.get("deep") ?? 0) + 1);
    },
    fired: (volley: Volley) => void volleys.push(volley),
  };
  const [next] = await Promise.all([
    sendInputs({ ...run, around, urlOf, messages, log: sent }, signal),
    classes.includes("deep") ? sendVolleys(volleyOptions, signal) : undefined,
    classes.includes("times") ? jumpClocks(system, signal) : undefined,
  ]);
  return next;
}

/** Milliseconds between two jumps of the wall clock of some process. */
const jumpsEvery = 300;

/** Has the wall clocks of services and Agents jump, one after the other. */
async function jumpClocks({ processes }: Run["fuzzed"]["system"], signal: AbortSignal) {
  for (let index = 0; !signal.aborted; index += 1) {
    const running = processes.filter(({ name, isRunning }) => isRunning && name !== "partners");
    const process = running[index % running.length];
    if (process !== undefined) jumpClock(process);
    await sleep(jumpsEvery, undefined, { signal }).catch(() => {});
  }
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

async function judgeRun(run: Run, { next, settled }: Loaded): Promise<FuzzReport> {
  const { fuzzed, stateStoreUrl, brokerUrl, seed, tally, accepted, sent, say } = run;
  const deadLettered = await countOf(stateStoreUrl, "dead_letters");
  const rejected = await countOf(stateStoreUrl, "rejected_replies");
  const deaf = await sendCanaries({ brokerUrl, stateStoreUrl, timeout });
  const ids = [...new Set([...(await shopOrders(stateStoreUrl)), ...tally.accepted])];
  const verdict = await judge(run, ids);
  const names = runsOf(run);
  const warmUp = Math.min(longestWarmUp, (run.seconds * 1_000 * quietPart) / 2);
  const quiet = await judgeSubmitted(stateStoreUrl, names.quiet, accepted, { warmUp });
  const fuzz = await judgeSubmitted(stateStoreUrl, names.fuzz, accepted, { warmUp });
  const crashes = [...fuzzed.crashes];
  const standing = run.volleys.filter(isStalled);
  await fuzzed[Symbol.asyncDispose]();
  // What a consumer held and never settled is back in its queue now.
  const held = await fullQueues(brokerUrl);
  const witnesses = [
    ...crashes.map(({ service, code, said }) => `${service} ended with ${code}: ${said.at(-1)}`),
    ...settled.open,
    ...deaf.map((queue) => `nothing is read from ${queue}`),
    ...held.map((queue) => `messages are left in ${queue}`),
    ...standing.map((volley) => `a good message stood behind deep ones: ${JSON.stringify(volley)}`),
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
    stalled: settled.open.length + deaf.length + held.length + tally.unanswered + standing.length,
    fivexx: tally.fivexx,
    lost: verdict.lost + verdict.halted + quiet.wrong.length + fuzz.wrong.length,
    doubled: verdict.doubled,
    violations: verdict.violations.length,
    orders: ids.length,
    p99QuietMs: p99Of(quiet.times),
    p99FuzzMs: p99Of(fuzz.times),
    ...volleyFigures(run.volleys),
    longestLoopMs: Object.fromEntries(fuzzed.longestLoops),
    longestTransactionMs: Math.round(Math.max(0, ...run.transactions)),
    next,
    byClass: Object.fromEntries(tally.byClass),
    byTarget: Object.fromEntries(tally.byTarget),
    logged: Object.fromEntries(fuzzed.logged),
    witnesses: witnesses.slice(0, 30),
  };
  if (!isClean(report))
    say(`the last inputs: ${sent.write("last-inputs", Number.MAX_SAFE_INTEGER)}`);
  return report;
}

const volleyFigures = (volleys: readonly Volley[]) => ({
  volleys: volleys.length,
  p99BehindValidMs: p99Of(volleys.map(({ behindValid }) => behindValid)),
  p99BehindDeepMs: p99Of(volleys.map(({ behindDeep }) => behindDeep)),
});

async function judge({ fuzzed, stateStoreUrl: url }: Run, ids: readonly string[]) {
  await using store = await connectStore(url);
  const { submissionUrl, partnersUrl } = fuzzed.system;
  return await judgeOrders({ submissionUrl, partnersUrl, store }, ids);
}

const connectStore = (url: string) =>
  openStore({ url, applicationName: "fuzz", maxConnections: 1 });

const p99Of = (times: readonly number[]): number =>
  times.length === 0 ? 0 : Math.round(percentile(times, 0.99));

interface BaitOptions {
  readonly store: Pick<StateStore, "submitTasks">;
  /** A second. */
  readonly rate: number;
  readonly submitted: (taskId: string) => void;
}

/** Submits work for the hostile Agent until the signal. */
async function streamBaits(options: BaitOptions, signal: AbortSignal): Promise<void> {
  const { store, rate, submitted } = options;
  const task = newTask({ workflow: baitWorkflow.name, input: null });
  while (!signal.aborted) {
    for (const one of await store.submitTasks([task], { actor: "fuzz" })) {
      if (one.kind === "created") submitted(one.taskId);
    }
    await sleep(1_000 / rate, undefined, { signal }).catch(() => {});
  }
}

/**
 * Has the hostile Agent asked again at once, until the signal: it says now and then that its
 * service is to be left alone for a minute, in which none of its answers would come.
 */
async function keepAsking({ fuzzed, say }: Run, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // A service that is away is started again; it was not asked yet.
    await releaseRemotes(fuzzed.system.operationsUrl).catch((error: unknown) =>
      say(`remote services were not released: ${String(error)}`),
    );
    await sleep(1_000, undefined, { signal }).catch(() => {});
  }
}

/** Milliseconds between two looks. */
const interval = 100;

/** The longest that a transaction of a service has been open, of those that were seen in a look. */
const longest = `
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0)::float8 as ms
    from pg_stat_activity
   where datname = current_database() and xact_start is not null and state <> 'idle'
     and application_name similar to '(submission|operations|scheduler|supervisor)%'`;

/** Looks at the open transactions of the services until the signal. */
async function watchTransactions(
  stateStoreUrl: string,
  seen: (ms: number) => void,
  signal: AbortSignal,
): Promise<void> {
  await using queries = await openQueries(stateStoreUrl);
  while (!signal.aborted) {
    const [found] = await queries.query<{ readonly ms: number }>(longest);
    seen(found?.ms ?? 0);
    await sleep(interval, undefined, { signal }).catch(() => {});
  }
}
