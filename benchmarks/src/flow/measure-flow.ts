import { join } from "node:path";
import { rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { migrate, openStateStore } from "@holdfast/state-store";
import type { BenchOptions } from "../options.ts";
import { type Holdfast, type HoldfastOptions, startHoldfast } from "../start-holdfast.ts";
import { slowStep, threeSteps } from "../workflow.ts";
import { measureOthers, type Others } from "./measure-others.ts";
import { measureShares, type Shares } from "./measure-shares.ts";
import { measureSick, type Sick } from "./measure-sick.ts";
import { measureSlots, type Slots } from "./measure-slots.ts";
import { measureUrgent, type Urgent } from "./measure-urgent.ts";

export type FlowResult = Partial<Urgent & Shares & Slots & Others & Sick>;

/** What is measured, in this order; `--only` chooses some of them. */
const measurements = {
  shares: measureSharesOf,
  slots: measureSlotsOf,
  others: measureOthersOf,
  sick: measureSickOf,
  urgent: measureUrgentOf,
} satisfies Readonly<Record<string, (context: FlowContext) => Promise<FlowResult>>>;

interface FlowContext {
  readonly options: BenchOptions;
  readonly serverUrl: string;
  readonly brokerUrl: string;
  readonly say: (line: string) => void;
}

/**
 * Measures whether work is done where it can be, and in the order that its priority and fairness
 * key ask for.
 */
export async function measureFlow(
  options: BenchOptions,
  say: (line: string) => void,
): Promise<FlowResult> {
  const wanted = Object.entries(measurements).filter(
    ([name]) => options.only?.includes(name) ?? true,
  );
  if (wanted.length === 0) throw new Error(`--only takes ${Object.keys(measurements).join(", ")}`);
  const dataFolder = join(holdfastFolder(), "bench");
  await using stack = await startLocalStack({
    purpose: "demo",
    dataFolder,
    fresh: true,
    log: say,
  });
  const [serverUrl, brokerUrl] = [stack.postgres.url, stack.broker.url];
  let result: FlowResult = {};
  for (const [name, measure] of wanted) {
    say(`${name} …`);
    result = { ...result, ...(await measure({ options, serverUrl, brokerUrl, say })) };
  }
  return result;
}

async function measureUrgentOf(context: FlowContext): Promise<Urgent> {
  const { orders, pending } = context.options;
  const agents = { count: 1 };
  const urgent = await withHoldfast(
    context,
    { workflow: threeSteps.definition, agents },
    (holdfast) => measureUrgent(holdfast, { orders, pending }),
  );
  context.say(
    `p99: idle ${urgent.idleP99Ms.toFixed(1)} ms, behind ${pending} normal tasks ${urgent.urgentP99Ms.toFixed(1)} ms`,
  );
  return {
    idleP99Ms: rounded(urgent.idleP99Ms, 1),
    urgentP99Ms: rounded(urgent.urgentP99Ms, 1),
    urgentP99Ratio: rounded(urgent.urgentP99Ratio, 2),
  };
}

async function measureSharesOf({ options, serverUrl, say }: FlowContext): Promise<Shares> {
  const { keys, claims } = options;
  await using database = await createDatabase(serverUrl);
  await migrate(database.url);
  await using store = await openStateStore({
    url: database.url,
    applicationName: "bench",
    maxConnections: 1,
  });
  await store.registerWorkflow(threeSteps.definition);
  const shares = await measureShares({ databaseUrl: database.url, keys, claims });
  say(
    `${keys} keys, ${claims} claims: the worst share is off by ${(shares.shareErrorMax * 100).toFixed(1)} %`,
  );
  say(
    `a new key was served after ${shares.newKeyMs.toFixed(1)} ms, ${shares.newKeyRounds.toFixed(2)} rounds`,
  );
  return {
    shareErrorMax: rounded(shares.shareErrorMax, 4),
    newKeyMs: rounded(shares.newKeyMs, 1),
    newKeyRounds: rounded(shares.newKeyRounds, 2),
  };
}

async function measureSlotsOf(context: FlowContext): Promise<Slots> {
  const { brokerUrl, options, say } = context;
  const seconds = Math.min(options.seconds, 10);
  const slots = await withHoldfast(context, { workflow: slowStep.definition }, (holdfast) =>
    measureSlots(holdfast, { brokerUrl, seconds }),
  );
  say(`slots of 5, 20 and 75: ${percents(Object.values(slots.busy)).join(", ")} busy`);
  return { slotsBusyMin: rounded(slots.slotsBusyMin, 3), busy: slots.busy };
}

async function measureOthersOf(context: FlowContext): Promise<Others> {
  const { brokerUrl, options, say } = context;
  const { seconds } = options;
  const others = await withHoldfast(context, { workflow: threeSteps.definition }, (holdfast) =>
    measureOthers(holdfast, { brokerUrl, seconds }),
  );
  say(
    `p99 of others: ${others.othersP99BeforeMs.toFixed(1)} ms, with one Agent down ${others.othersP99Ms.toFixed(1)} ms`,
  );
  return {
    othersP99Ratio: rounded(others.othersP99Ratio, 2),
    othersP99BeforeMs: rounded(others.othersP99BeforeMs, 1),
    othersP99Ms: rounded(others.othersP99Ms, 1),
  };
}

async function measureSickOf(context: FlowContext): Promise<Sick> {
  const { brokerUrl, say } = context;
  const sick = await withHoldfast(
    context,
    { workflow: slowStep.definition },
    (holdfast, databaseUrl) => measureSick(holdfast, { brokerUrl, databaseUrl }),
  );
  say(
    `${sick.wellPerSecond.toFixed()} tasks/s, with a sick instance ${sick.sickPerSecond.toFixed()}; ${sick.probes} probes, ${sick.falseFailures} false failures`,
  );
  return {
    ...sick,
    wellPerSecond: rounded(sick.wellPerSecond, 0),
    sickPerSecond: rounded(sick.sickPerSecond, 0),
    sickThroughput: rounded(sick.sickThroughput, 3),
  };
}

const percents = (parts: readonly number[]): readonly string[] =>
  parts.map((part) => `${(part * 100).toFixed(1)} %`);

/**
 * Measures with a Scheduler and a database of one's own; the Agents run in this process, unless
 * said otherwise.
 */
async function withHoldfast<Result>(
  { serverUrl, brokerUrl, options: { without } }: FlowContext,
  how: Pick<HoldfastOptions, "workflow" | "agents">,
  measure: (holdfast: Holdfast, databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  await using owner = new AsyncDisposableStack();
  const { url: databaseUrl } = owner.use(await createDatabase(serverUrl));
  const servers = { databaseUrl, brokerUrl, without };
  const holdfast = await startHoldfast(owner, { ...servers, agents: { count: 0 }, ...how });
  return await measure(holdfast, databaseUrl);
}
