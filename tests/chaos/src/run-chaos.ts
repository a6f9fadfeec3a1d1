import { setTimeout as sleep } from "node:timers/promises";
import { byMessage, type ClientEvent, inTurn, overHttp, submitOrders } from "@holdfast/load";
import { askBroker } from "@holdfast/local-stack";
import { type Broker, connectBroker } from "@holdfast/messaging";
import { serverUrls } from "@holdfast/runtime";
import type {
  Evidence,
  FaultEvent,
  LedgerEntry,
  Moment,
  Observation,
  Plan,
  Sample,
  StatusMessage,
} from "./checker/evidence.ts";
import { listenToStatuses } from "./client/listen-to-statuses.ts";
import { pollOrders } from "./client/poll-orders.ts";
import { injectFaults } from "./nemesis/inject-faults.ts";
import { planFaults } from "./nemesis/plan-faults.ts";
import type { ChaosOptions } from "./options.ts";
import type { Environment } from "./system/start-environment.ts";
import { failureThreshold } from "./system/workflow.ts";
import { confirmStore, readStore } from "./witness/read-store.ts";
import { quietQueues, untilEnded } from "./witness/until-ended.ts";

interface RunOptions extends Pick<ChaosOptions, "profile" | "seed" | "classes"> {
  readonly environment: Environment;
  readonly random: () => number;
  readonly say: (line: string) => void;
}

const pollers = ["poller-1", "poller-2", "poller-3"];
/** Milliseconds: what the Supervisor may rest and hold back, and a breath. */
const recoveryMs = 8_000;
/** What the pools of all services may hold together, twice: the connections of the dead linger. */
const maxConnections = 80;
/** Two of three orders are good; the others are undone from wherever they get to. */
const kindOf = inTurn(
  "good",
  "good",
  "unshippable",
  "good",
  "flaky",
  "declined",
  "good",
  "good",
  "unshippable",
  "good",
  "sold-out",
  "fraudulent",
);

/** One round: load and faults side by side, then peace; resolves to what all witnesses say. */
export async function runChaos(options: RunOptions): Promise<Evidence> {
  const { environment, profile, seed, classes, random, say } = options;
  const since = await confirmStore(environment);
  const run = `chaos-${seed}-${since.at}`;
  const statusQueue = `status.application.${run}`;
  const heard = openNotebook();
  const over = new AbortController();
  const { signal } = over;
  const { faults, duration } = profile;
  const planned = planFaults({ classes, faults, duration, random });

  const brokerUrl = environment.system.broker.urlOf("application");
  await using broker = await connectBroker({
    url: brokerUrl,
    name: "chaos",
    topology: "passive",
    agents: [],
    log: { warn: () => {}, error: () => {} },
  });
  const listener = await listenToStatuses({
    broker,
    brokerUrl: serverUrls(brokerUrl)[0],
    queue: statusQueue,
    record: (message) => heard.statuses.push(message),
    onQueue: (at) => heard.statusQueueSeen.push(at),
    signal,
  });
  const watching = watch(options, heard, signal);
  let areFaultsOver = false;
  const submitting = submitOrders({
    ...load(options, broker),
    // Faults of one server wait for one another. The last of them must meet orders, too.
    goesOn: () => !areFaultsOver,
    run,
    replyTo: statusQueue,
    signal,
    record: heard.client,
  });
  await injectFaults({ ...faultsOf(options, heard), plan: planned, signal });
  areFaultsOver = true;
  await awaitPeace(environment, submitting, say);
  over.abort();
  await Promise.all([submitting, ...watching]);
  const queues = await quietQueues(environment);
  await listener[Symbol.asyncDispose]();
  await askBroker(environment.broker.url, (channel) => channel.deleteQueue(statusQueue));
  return {
    plan: planOf(options, planned.length),
    history: heard.history,
    faults: heard.faults,
    poison: heard.poison,
    observations: heard.observations,
    statuses: heard.statuses,
    statusQueueSeen: heard.statusQueueSeen,
    samples: heard.samples,
    queues,
    ledger: await readLedger(environment.system.partnersUrl, since.at),
    ...(await readStore(environment, since)),
  };
}

/** What is submitted, how fast, and on which ways. */
const load = ({ environment, profile }: RunOptions, broker: Broker) => ({
  orders: profile.orders,
  rate: (profile.orders * 1_000) / profile.duration,
  kindOf,
  http: overHttp(() => environment.processes.submissionUrls()),
  message: byMessage(broker),
  onRefused: () => {}, // It is recorded, and judged.
});

/** What faults are injected into, and where they are written down. */
const faultsOf = ({ environment, profile, random, say }: RunOptions, heard: Notebook) => ({
  environment,
  rest: profile.rest ?? 0,
  random,
  record: (fault: FaultEvent) => {
    heard.faults.push(fault);
    say(describe(fault));
  },
  poisoned: (messageId: string) => void heard.poison.push(messageId),
});

/** Waits until all orders have ended, or have had the time to. */
async function awaitPeace(
  environment: Environment,
  submitting: Promise<void>,
  say: RunOptions["say"],
): Promise<void> {
  say("all faults are over; waiting for all orders to end …");
  const peaceAt = performance.now();
  const isPeace = await untilEnded(environment, submitting);
  say(`${isPeace ? "ended" : "not all ended"} after ${Math.round(performance.now() - peaceAt)} ms`);
}

/** Asks the store and the services, again and again until the signal. */
function watch(
  { environment, random }: RunOptions,
  { samples, observations, recent }: Notebook,
  signal: AbortSignal,
): readonly Promise<void>[] {
  const choose = () => recent[Math.floor(random() * recent.length)] ?? null;
  const urls = () => environment.processes.submissionUrls();
  const record = (seen: Observation) => observations.push(seen);
  return [
    sampleStore({ environment, record: (sample) => samples.push(sample), signal }),
    ...pollers.map((observer) => pollOrders({ observer, urls, choose, record, signal })),
  ];
}

const planOf = ({ profile, seed, classes }: RunOptions, faults: number): Plan => ({
  seed,
  orders: profile.orders,
  faults,
  classes: classes.map(({ name }) => name),
  failureThreshold,
  recoveryMs,
  maxConnections,
});

const describe = (fault: FaultEvent): string => {
  const { class: name, target, from, healedAt, error } = fault;
  const time = new Date(from).toISOString().slice(11, 23);
  return error === null
    ? `${time}  ${name}: ${target} (${healedAt - from} ms)`
    : `${time}  ${name} could not be injected: ${error}`;
};

type Notebook = ReturnType<typeof openNotebook>;

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
    statusQueueSeen: [] as number[],
    samples: [] as Sample[],
    client: (event: ClientEvent): void => {
      history.push(event);
      if (event.type !== "ok" || event.taskId === null) return;
      recent.push(event.taskId);
      if (recent.length > recentOrders) recent.shift();
    },
  };
}

interface Page {
  readonly entries: readonly (Omit<LedgerEntry, "at"> & { readonly at: string })[];
  readonly next: number | null;
}

const pageSize = 10_000;

/** Everything that has happened at the partners since then, as their own ledger has it. */
async function readLedger(partnersUrl: string, since: Moment): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const response = await fetch(`${partnersUrl}/ledger?limit=${pageSize}&after=${after}`);
    const page = (await response.json()) as Page;
    entries.push(...page.entries.map((entry) => ({ ...entry, at: Date.parse(entry.at) })));
    after = page.next;
  }
  return entries.filter(({ at }) => at >= since);
}

interface SampleStoreOptions {
  readonly environment: Pick<Environment, "query">;
  readonly record: (sample: Sample) => void;
  readonly signal: AbortSignal;
}

const rest = 1_000;

const look = `
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as at,
         coalesce((select max(extract(epoch from clock_timestamp() - complete_by)) * 1000
                     from state.steps where process_state = 'processing'), 0)::float8 as "overdueMs",
         coalesce(max(extract(epoch from clock_timestamp() - state_change) * 1000)
                    filter (where state = 'idle in transaction'), 0)::float8 as "idleInTransactionMs",
         count(*)::integer as connections
    from pg_stat_activity
   where datname = current_database()`;

/** Looks at the store every second, and looks away while it cannot be reached. */
async function sampleStore({ environment, record, signal }: SampleStoreOptions): Promise<void> {
  while (!signal.aborted) {
    const samples = await environment.query<Sample>(look).catch(() => []);
    for (const sample of samples) record(sample);
    await sleep(rest, undefined, { signal }).catch(() => {});
  }
}
