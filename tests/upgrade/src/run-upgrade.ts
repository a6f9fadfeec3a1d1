import { setTimeout as sleep } from "node:timers/promises";
import { fulfilOrder } from "@holdfast/orders";
import {
  environmentOf,
  type LogLine,
  operatorToken,
  type ServiceProcess,
  type SystemBroker,
  type SystemPlaces,
  shipBroker,
  startService,
} from "@holdfast/processes";
import { seededRandom } from "@holdfast/runtime";
import { type Fleet, openFleet, type Service } from "./fleet.ts";
import { judgeRun, untilAllEnded } from "./judge-run.ts";
import { type Load, loadOrders } from "./load-orders.ts";
import { counts, phases, type Run } from "./phases.ts";
import { migrateTo, pendingMigrations, type Release } from "./release.ts";
import { ordersBy, type PhaseReport, type UpgradeReport } from "./upgrade-report.ts";

export interface RunOptions {
  readonly from: Release;
  readonly to: Release;
  readonly seconds: number;
  readonly rate: number;
  readonly seed: number;
  /** An empty database, by its owner's URL. */
  readonly stateStoreUrl: string;
  readonly broker: SystemBroker;
  /** The folder in which the partners keep their ledger. */
  readonly dataFolder: string;
  readonly say: (line: string) => void;
  readonly onLog: (line: LogLine, process: string) => void;
}

/** The workflow that only the release before stores: it calls what the shop's calls. */
const keptWorkflow = "kept-order.v1";
/** Partners as they are: slow, now and then unwell, and sometimes silent after the effect. */
const partners = { LATENCY: "80ms", ERROR_RATE: "0.02", APPLY_THEN_DROP_RATE: "0.02" };
/** Milliseconds from one kill to the next, and kills in a run that is too short for that. */
const usualPace = 4_000;
const fewestKills = 24;

/** Milliseconds from one kill to the next in a run of so many seconds. */
export const killEvery = (seconds: number): number =>
  Math.min(usualPace, (seconds * 1_000) / fewestKills);

/**
 * Upgrades a running system from one release to the other, and back where it can, under orders and
 * kills.
 */
export async function runUpgrade(options: RunOptions): Promise<UpgradeReport> {
  const { from, to, seconds, rate, seed, stateStoreUrl, dataFolder, say, onLog } = options;
  await using stack = new AsyncDisposableStack();
  const broker = await shipBroker({ ...options.broker, definitionsOf: from.definitionsOf });
  await migrateTo(from, stateStoreUrl, () => {});
  const places = { stateStoreUrl, broker, partnersUrl: "", dataFolder, ports: {}, without: [] };
  const shop = { ...places, ownWorkflow: false };
  const world = stack.use(await startPartners(shop));
  const partnersUrl = String(world.ready["url"]);
  const fleet = stack.use(
    openFleet({
      places: () => ({ ...shop, partnersUrl }),
      killEvery: killEvery(seconds),
      random: seededRandom(seed),
      onKill: ({ service, release }) => say(`kill -9: ${service} of ${release.title}`),
      onLog: (line, service, release) => onLog(line, `${service} of ${release.title}`),
    }),
  );
  await Promise.all(
    (Object.keys(counts) as Service[]).flatMap((service) =>
      Array.from({ length: counts[service] }, () => fleet.add(service, from)),
    ),
  );
  say(`everything of ${from.title} is ready`);
  await storeKept(fleet);
  const pending = pendingMigrations(from, to);
  const run: Run = { from, to, pending, fleet, broker, stateStoreUrl, say, refusals: [] };
  const name = `upgrade-${seed}-${Date.now()}`;
  const load = await loadOrders({
    run: name,
    rate,
    urls: () => fleet.urlsOf("submission"),
    releases: [from, to],
    // Services are raised before their clients: those of this release are called by its own alone.
    urlsFor: (release) => fleet.urlsOf("submission", release === to ? to : undefined),
    brokerUrl: broker.urlOf("application"),
    stateStoreUrl,
    workflow: keptWorkflow,
  });
  const windows = await play(run, seconds);
  await fleet.leaveAlone();
  await untilCalledFromBefore(run, load);
  await load.end();
  say("no more orders and kills; waiting for all orders to end …");
  await untilAllEnded(stateStoreUrl, load.accepted.length);
  const upgradedAt = windows.find((window) => window.name === "upgrade")?.until ?? Date.now();
  const judged = await judgeRun(run, { name, load, partnersUrl, keptWorkflow, upgradedAt });
  // How they end counts, too.
  await fleet[Symbol.asyncDispose]();
  return {
    ...figuresOf(run, load),
    seed,
    seconds,
    phases: windows.map(reportOf(run, load)),
    ...judged,
    witnesses: [...badEndsOf(fleet), ...judged.witnesses].slice(0, mostWitnesses),
  };
}

const mostWitnesses = 20;

const badEndsOf = ({ crashes, overstays }: Fleet): readonly string[] => [
  ...crashes.map(({ service, release, said }) => `${service} of ${release.title} ended: ${said}`),
  ...overstays.map(
    ({ service, release, said }) => `${service} of ${release.title} did not stop: ${said}`,
  ),
];

/** Starts the partners, which know no broker. */
export const startPartners = (places: SystemPlaces): Promise<ServiceProcess> =>
  startService({
    service: "partners",
    env: { ...environmentOf("partners", places), ...partners },
  });

/** A phase as it was, in milliseconds since 1970. */
export interface PhaseWindow {
  readonly name: string;
  readonly what: string;
  readonly since: number;
  readonly until: number;
}

async function play(run: Run, seconds: number): Promise<readonly PhaseWindow[]> {
  const weights = phases.reduce((sum, { weight }) => sum + weight, 0);
  const windows: PhaseWindow[] = [];
  for (const phase of phases) {
    run.say(`phase "${phase.name}"`);
    const since = Date.now();
    await phase.play(run, (seconds * 1_000 * phase.weight) / weights);
    windows.push({ name: phase.name, what: phase.what(run), since, until: Date.now() });
  }
  return windows;
}

/** How many clients and commands of the release before have called services of this one. */
const callsFromBefore = (
  { from, to, fleet }: Pick<Run, "from" | "to" | "fleet">,
  called: Load["called"],
): number => called.filter(({ by, url }) => by === from && fleet.releaseAt(url) === to).length;

/** Milliseconds: several times as long as each of the callers may take for its turn. */
const calledWithin = 120_000;

/**
 * Waits until a client or command of the release before has called this one, in vain after two
 * minutes: on a slow machine, a short run may be over before it is its turn.
 */
async function untilCalledFromBefore(run: Run, load: Load): Promise<void> {
  const giveUpAt = performance.now() + calledWithin;
  while (callsFromBefore(run, load.called) === 0 && performance.now() < giveUpAt) {
    await sleep(restBetweenTries);
  }
}

/** What a run had of orders and kills, whatever became of them. */
const figuresOf = (
  { from, to, pending, refusals, fleet }: Run,
  { accepted, called, refused }: Load,
) => ({
  from: from.title,
  to: to.title,
  migrations: pending.names,
  stopped: pending.stopServices,
  refusals,
  kills: fleet.kills.length,
  crashed: fleet.crashes.length,
  overstayed: fleet.overstays.filter(({ release }) => release === to).length,
  overstayedBefore: fleet.overstays.filter(({ release }) => release === from).length,
  orders: ordersBy((way) => accepted.filter(({ via }) => via === way).length),
  calledFromBefore: callsFromBefore({ from, to, fleet }, called),
  refused: refused.length,
});

export const reportOf =
  ({ from, fleet }: Pick<Run, "from" | "fleet">, { accepted }: Load) =>
  ({ name, what, since, until }: PhaseWindow): PhaseReport => {
    const isIn = ({ at }: { readonly at: number }): boolean => at >= since && at < until;
    const kills = fleet.kills.filter(isIn);
    const orders = accepted.filter(isIn);
    const answers = orders.filter(({ via }) => via === "http").map(({ at }) => at);
    return {
      name,
      what,
      seconds: Math.round((until - since) / 1_000),
      killsBefore: kills.filter(({ release }) => release === from).length,
      killsHere: kills.filter(({ release }) => release !== from).length,
      orders: orders.length,
      longestPauseMs: longestGap([since, ...answers, until]),
    };
  };

/** The longest time from one of these instants to the next. */
const longestGap = (instants: readonly number[]): number => {
  const sorted = instants.toSorted((one, other) => one - other);
  return Math.max(0, ...sorted.slice(1).map((at, index) => at - (sorted[index] ?? at)));
};

/** Milliseconds. */
const storedWithin = 60_000;
const restBetweenTries = 250;

/**
 * Has the release before store a workflow that this one never stores: the shop's, under another
 * name.
 */
async function storeKept(fleet: Fleet): Promise<void> {
  const giveUpAt = performance.now() + storedWithin;
  for (;;) {
    const problem = await tryToStore(fleet).catch(String);
    if (problem === null) return;
    if (performance.now() > giveUpAt) throw new Error(`${keptWorkflow} is not stored: ${problem}`);
    await sleep(restBetweenTries);
  }
}

/** Resolves to what was answered instead; null: it is stored. */
async function tryToStore(fleet: Fleet): Promise<string | null> {
  const [url = "http://127.0.0.1:0"] = fleet.urlsOf("operations");
  const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" };
  const shown = await fetch(`${url}/v1/workflows/${fulfilOrder.name}`, { headers });
  if (!shown.ok) return `${shown.status} ${await shown.text()}`;
  const { definition } = (await shown.json()) as { readonly definition: object };
  const { collection: _, ...kept } = { collection: null, ...definition, name: keptWorkflow };
  const body = JSON.stringify(kept);
  const stored = await fetch(`${url}/v1/workflows/${keptWorkflow}`, {
    method: "PUT",
    headers,
    body,
  });
  return stored.ok ? null : `${stored.status} ${await stored.text()}`;
}
