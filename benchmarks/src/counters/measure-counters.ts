import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pushOrders, rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { ServiceName, ServiceProcess } from "@holdfast/processes";
import { holdfastSubject } from "../holdfast-subject.ts";
import { settingOf } from "../setting.ts";
import { type Holdfast, startHoldfast } from "../start-holdfast.ts";
import { measure, type Subject } from "../subject.ts";
import { orderSteps, threeSteps } from "../workflow.ts";
import { countInstructions, whyNotCounted } from "./count-instructions.ts";
import type { CounterRun, Counters } from "./judge-counters.ts";
import {
  type CountReader,
  countingOption,
  countReader,
  type ProcessCounts,
} from "./process-counts.ts";
import { countInStore, prepareCounting, preventVacuum, settled } from "./store-counts.ts";

/** The services that count, by the names of their parts. */
const parts = {
  submission: "submission",
  scheduler: "scheduler",
  agents: "agent",
} as const satisfies Record<string, ServiceName>;
type Part = keyof typeof parts;
const partNames = Object.keys(parts) as readonly Part[];

interface Phase {
  readonly name: string;
  readonly orders: number;
  /** The parts whose figures say something about these orders. */
  readonly parts: readonly Part[];
  /** Whether each order has its own statements, so that what runs less often belongs to a timer. */
  readonly inTurn: boolean;
  readonly run: (fleet: Fleet, orders: number) => Promise<unknown>;
}

/**
 * Orders before anything is counted: compiled code allocates less than code that is interpreted.
 */
const warmUp = { backlog: 1_500, lone: 200, overHttp: 200 };
/** Milliseconds at rest, in which timers are seen alone. */
const restFor = 2_000;
/** Milliseconds between two looks at whether all are processed. */
const pollInterval = 50;

const phases: readonly Phase[] = [
  {
    name: "lone",
    orders: 100,
    parts: ["scheduler", "agents"],
    inTurn: true,
    run: ({ subject }, orders) => measure(subject, { kind: "lone", orders }),
  },
  {
    name: "backlog",
    orders: 500,
    parts: ["scheduler", "agents"],
    inTurn: false,
    run: ({ subject }, orders) => measure(subject, { kind: "backlog", orders }),
  },
  {
    name: "inFlight",
    orders: 500,
    parts: ["scheduler", "agents"],
    inTurn: false,
    run: ({ subject }, orders) => measure(subject, { kind: "inFlight", orders, width: 100 }),
  },
  {
    name: "overHttp",
    orders: 100,
    parts: ["submission"],
    inTurn: true,
    run: submitOverHttp,
  },
];

interface Fleet {
  readonly url: string;
  readonly holdfast: Holdfast;
  readonly subject: Subject;
  readonly reader: CountReader;
  readonly withInstructions: boolean;
}

/**
 * Runs a fixed number of orders through a fleet and counts what they cost in units that no machine
 * changes: statements, pages, rows, bytes of the write-ahead log, messages, bytes allocated.
 */
export async function countOrders(
  without: readonly string[],
  say: (line: string) => void,
): Promise<CounterRun> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench-counters");
  const stack = owner.use(
    await startLocalStack({ purpose: "test", dataFolder, fresh: true, log: say }),
  );
  const { url } = owner.use(await createDatabase(stack.postgres.url));
  const why = await whyNotCounted();
  if (why !== null) say(`instructions are left out: ${why}`);
  const reader = countReader();
  const holdfast = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl: stack.broker.url,
    workflow: orderSteps.definition,
    submissions: 1,
    without,
    nodeOptions: [countingOption],
    onLog: reader.onLog,
  });
  await holdfast.store.registerWorkflow(threeSteps.definition);
  await prepareCounting(url);
  await preventVacuum(url);
  const subject = holdfastSubject(holdfast);
  const fleet = { url, holdfast, subject, reader, withInstructions: why === null };
  await measure(subject, { kind: "backlog", orders: warmUp.backlog });
  await measure(subject, { kind: "lone", orders: warmUp.lone });
  await submitOverHttp(fleet, warmUp.overHttp);

  const idle = await allocatedAtRest(fleet);
  const counters: Record<string, number> = {};
  for (const phase of phases) {
    const found = await countPhase(fleet, phase, idle);
    for (const [name, value] of Object.entries(found)) counters[`${phase.name}.${name}`] = value;
  }
  const { date, postgres } = await settingOf(url);
  return { date, node: process.versions.node, postgres, counters };
}

/** Bytes a millisecond, by part. */
type AllocatedAtRest = Readonly<Record<Part, number>>;

async function allocatedAtRest(fleet: Fleet): Promise<AllocatedAtRest> {
  await settled(fleet.url);
  const before = await countsByPart(fleet);
  await sleep(restFor);
  const after = await countsByPart(fleet);
  const rate = (part: Part) => (after[part].allocatedBytes - before[part].allocatedBytes) / restFor;
  return { submission: rate("submission"), scheduler: rate("scheduler"), agents: rate("agents") };
}

/** Figures for one order of a phase. What timers allocate meanwhile is subtracted. */
async function countPhase(
  fleet: Fleet,
  { orders, parts: counted, inTurn, run }: Phase,
  idle: AllocatedAtRest,
): Promise<Counters> {
  const { url, withInstructions } = fleet;
  await settled(url);
  const instructions = withInstructions
    ? counted.map((part) => [part, countInstructions(processOf(fleet, part).pid)] as const)
    : [];
  const before = await countsByPart(fleet);
  const { roles, ms, walBytes, rows, indexEntries } = await countInStore(
    url,
    { orders, inTurn },
    () => run(fleet, orders),
  );
  const after = await countsByPart(fleet);
  const found: Record<string, number> = {
    "store.walBytes": walBytes,
    "store.rows": rows,
    "store.indexEntries": indexEntries,
  };
  for (const part of counted) {
    const more = (name: keyof ProcessCounts) => after[part][name] - before[part][name];
    const { statements, buffers } = roles[`holdfast_${part}`] ?? { statements: 0, buffers: 0 };
    if (part !== "agents") Object.assign(found, named(part, { statements, buffers }));
    if (part !== "submission") {
      const messageBytes = more("messageBytes");
      Object.assign(found, named(part, { messages: more("messages"), messageBytes }));
    }
    const allocatedBytes = more("allocatedBytes") - idle[part] * ms;
    Object.assign(found, named(part, { allocatedBytes }));
  }
  for (const [part, stop] of instructions) {
    const count = await stop();
    if (count !== null) Object.assign(found, named(part, { instructions: count }));
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, rounded(value / orders, 3)]),
  );
}

const named = (part: Part, counts: Counters): Counters =>
  Object.fromEntries(Object.entries(counts).map(([name, value]) => [`${part}.${name}`, value]));

function processOf({ holdfast }: Fleet, part: Part): ServiceProcess {
  const [process] = holdfast.system.running(parts[part]);
  if (process === undefined) throw new Error(`No process of ${part} is running`);
  return process;
}

async function countsByPart(fleet: Fleet): Promise<Readonly<Record<Part, ProcessCounts>>> {
  const counts = await Promise.all(
    partNames.map(
      async (part) => [part, await fleet.reader.countsOf(processOf(fleet, part))] as const,
    ),
  );
  return Object.fromEntries(counts) as Readonly<Record<Part, ProcessCounts>>;
}

/** Submits one order after the other to the service; resolves when all are processed. */
async function submitOverHttp({ holdfast }: Fleet, orders: number): Promise<void> {
  const processed = async () => (await holdfast.store.countTasks()).processed ?? 0;
  const before = await processed();
  const url = holdfast.system.submissionUrl;
  const { accepted } = await pushOrders({ url, connections: 1, load: { orders }, rate: null });
  if (accepted.length !== orders) throw new Error(`Only ${accepted.length} orders were taken`);
  while ((await processed()) < before + orders) await sleep(pollInterval);
}
