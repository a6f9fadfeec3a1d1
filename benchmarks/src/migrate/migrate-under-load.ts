import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { callsOf } from "@holdfast/domain";
import { rounded } from "@holdfast/load";
import { type ClaimedStep, migrate, openStateStore, type StateStore } from "@holdfast/state-store";
import { Client } from "pg";
import { fillStore } from "../flat/fill-store.ts";
import { taskOf } from "../holdfast-subject.ts";
import { newOrder } from "../order.ts";
import { threeSteps } from "../workflow.ts";
import { claimByHand } from "./claim-by-hand.ts";
import { watchLocks } from "./watch-locks.ts";

export interface MigrationLoad {
  /** An empty database. */
  readonly url: string;
  /** Finished orders that are in the store already. */
  readonly finished: number;
  /** Orders submitted per second. */
  readonly rate: number;
  /** How long orders come in before and after the migration, in milliseconds. */
  readonly margin: number;
  /**
   * How long a reader keeps a transaction on the tasks open when the migration begins, in
   * milliseconds.
   */
  readonly reader: number;
  /**
   * The reader ends before its time when so many orders were taken beside it: see `besideReader`.
   */
  readonly enough?: number;
  readonly say: (line: string) => void;
}

export interface MigrationFigures {
  readonly migrations: readonly string[];
  readonly migrationMs: number;
  /** How often it had to give way and begin a phase again. */
  readonly retries: number;
  /**
   * Transactions of the release before, and how often one of them or the migration ended in a
   * deadlock.
   */
  readonly transactions: number;
  readonly deadlocks: number;
  /**
   * Milliseconds for which the migration kept writers out of a table at most, and which table that
   * was.
   */
  readonly longestLockMs: number;
  readonly longestLockOf: string;
  readonly submitted: number;
  /** Orders that were not taken, and why: each reason once. */
  readonly failed: number;
  readonly reasons: readonly string[];
  /** Submissions that waited longer than 100 ms before the migration, and while it ran. */
  readonly slowBefore: number;
  readonly slowDuring: number;
  readonly slowestBeforeMs: number;
  readonly slowestDuringMs: number;
  /**
   * Orders submitted after the migration had given way to the reader, and taken before the reader
   * ended.
   */
  readonly besideReader: number;
  /** Submitted orders that were not processed in the end. */
  readonly lost: number;
}

const actor = "bench";
const perCall = 5;
const slow = 100;
const capacity = callsOf(threeSteps.definition).map(({ agent: lane }) => ({ lane, slots: 200 }));

/** What later releases may bring, one migration of each kind: they run under load. */
const folders = [
  fileURLToPath(new URL("../../../packages/state-store/test/rehearsal", import.meta.url)),
];

/**
 * Runs the rehearsal migrations while orders are submitted and processed, beside a long read. No
 * service stops: one that is at work does not ask again whether it can work with the schema. Orders
 * are submitted at their rate, however long those before them take.
 */
export async function migrateUnderLoad(options: MigrationLoad): Promise<MigrationFigures> {
  const { url, finished, margin, reader, enough = Number.POSITIVE_INFINITY, say } = options;
  await migrate(url);
  await using owner = new AsyncDisposableStack();
  const open = async (maxConnections: number) =>
    owner.use(await openStateStore({ url, applicationName: "bench", maxConnections }));
  const [submission, scheduler] = [await open(20), await open(4)];
  await submission.registerWorkflow(threeSteps.definition);
  say(`${finished} orders are written down`);
  await fillStore(url, { pending: 0, finished });

  const work = startWork(scheduler);
  const orders = startOrders(submission, options.rate);
  const claims = await claimByHand(url);
  await sleep(margin);
  const locks = await watchLocks(url);
  const begun = performance.now();
  say("the migration begins");
  let [retries, brokenCircles, gaveWayAt] = [0, 0, Number.POSITIVE_INFINITY];
  const besideReader = () => perCall * orders.taken(({ at }) => at > gaveWayAt);
  const reading = read(url, reader, () => besideReader() >= enough).then(besideReader);
  const migrations = await migrate(url, {
    folders,
    onWait: ({ what, attempt, error }) => {
      retries += 1;
      gaveWayAt = Math.min(gaveWayAt, performance.now());
      if (error.includes("deadlock")) brokenCircles += 1;
      say(`${what}, attempt ${attempt}: ${error}`);
    },
  });
  const migrated = performance.now();
  const longestLock = await locks.stop();
  const taken = await reading;
  await sleep(margin);
  const { calls, failed, reasons } = await orders.stop();
  const { transactions, deadlocks } = await claims.stop();
  await work.finish(calls.length * perCall);
  const before = calls.filter(({ at }) => at < begun - slow);
  const during = calls.filter(({ at, took }) => at + took >= begun && at <= migrated);
  const counts = await submission.countTasks();
  const submitted = calls.length * perCall;
  return {
    migrations,
    migrationMs: Math.round(migrated - begun),
    retries,
    transactions,
    deadlocks: deadlocks + brokenCircles,
    ...longestLock,
    submitted,
    failed,
    reasons,
    slowBefore: slowOf(before),
    slowDuring: slowOf(during),
    slowestBeforeMs: slowestOf(before),
    slowestDuringMs: slowestOf(during),
    besideReader: taken,
    lost: finished + submitted - (counts.processed ?? 0),
  };
}

interface Call {
  readonly at: number;
  readonly took: number;
}

const slowOf = (calls: readonly Call[]): number =>
  perCall * calls.filter(({ took }) => took > slow).length;
const slowestOf = (calls: readonly Call[]): number =>
  rounded(Math.max(0, ...calls.map(({ took }) => took)), 1);

/** Submits orders, a few with each call, at a steady rate. */
function startOrders(store: StateStore, rate: number) {
  const calls: Call[] = [];
  const errors: unknown[] = [];
  const open = new Set<Promise<void>>();
  const from = performance.now();
  let begun = 0;
  const submit = async (): Promise<void> => {
    const at = performance.now();
    try {
      await store.submitTasks(
        Array.from({ length: perCall }, () => taskOf(newOrder())),
        { actor },
      );
      calls.push({ at, took: performance.now() - at });
    } catch (error) {
      errors.push(error);
    }
  };
  const timer = setInterval(() => {
    for (; begun * perCall < ((performance.now() - from) / 1_000) * rate; begun += 1) {
      const call = submit().then(() => void open.delete(call));
      open.add(call);
    }
  }, 5);
  return {
    taken: (which: (call: Call) => boolean): number => calls.filter(which).length,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return { calls, failed: errors.length * perCall, reasons: [...new Set(errors.map(String))] };
    },
  };
}

/** Claims and completes steps until as many orders have ended as were submitted. */
function startWork(store: StateStore) {
  let wanted = Number.POSITIVE_INFINITY;
  let completed = 0;
  const steps = threeSteps.definition.steps.length;
  let idleSince = Number.POSITIVE_INFINITY;
  const run = async (lockedBy: string): Promise<void> => {
    while (completed < wanted * steps && performance.now() - idleSince < 30_000) {
      // A migration may have the tables just then.
      const claims = await store
        .claimDueSteps({ lockedBy, capacity, resendAfter: 60_000 })
        .catch(() => []);
      if (claims.length === 0) {
        await sleep(10);
        continue;
      }
      await untilDone(() => store.applyEvents(claims.map(toCompleted), { actor }));
      completed += claims.length;
      if (Number.isFinite(idleSince)) idleSince = performance.now();
    }
  };
  const loops = [run("bench-1"), run("bench-2")];
  return {
    async finish(orders: number): Promise<void> {
      wanted = orders;
      idleSince = performance.now();
      await Promise.all(loops);
    },
  };
}

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch {
      await sleep(50);
    }
  }
}

const toCompleted = ({ taskId, name: step, attempt, token }: ClaimedStep) => ({
  taskId,
  event: { kind: "completed" as const, step, attempt, token },
  output: { ok: true },
});

/** Reads the tasks, and leaves the transaction open for a while, or until it is long enough. */
async function read(url: string, held: number, isEnough: () => boolean): Promise<void> {
  if (held === 0) return;
  const client = new Client({ connectionString: url, application_name: "reader" });
  await client.connect();
  try {
    await client.query("begin; select 1 from state.tasks limit 1");
    const until = performance.now() + held;
    while (performance.now() < until && !isEnough()) await sleep(Math.min(held, 20));
    await client.query("rollback");
  } finally {
    await client.end();
  }
}
