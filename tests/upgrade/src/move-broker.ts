import { setTimeout as sleep } from "node:timers/promises";
import { agentQueue, signalQueue, submissionQueue } from "@holdfast/contracts";
import { queryOnce } from "@holdfast/local-stack";
import { fulfilOrder } from "@holdfast/orders";
import {
  type LogLine,
  type ShippedBroker,
  type SystemBroker,
  shipBroker,
} from "@holdfast/processes";
import { seededRandom } from "@holdfast/runtime";
import { type Fleet, openFleet, type Service } from "./fleet.ts";
import { judgeRun, untilAllEnded } from "./judge-run.ts";
import { type Load, loadOrders } from "./load-orders.ts";
import type { MoveReport } from "./move-report.ts";
import { counts, replacing, spread } from "./phases.ts";
import { migrateTo, type Release } from "./release.ts";
import { killEvery, type PhaseWindow, reportOf, startPartners } from "./run-upgrade.ts";

/** A broker of a move: the one before, or the new one. */
export interface MovedBroker extends SystemBroker {
  /** What it is called, such as `RabbitMQ 4.0`. */
  readonly title: string;
  /** How many messages wait in a queue. */
  depth(queue: string): Promise<number>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

export interface MoveOptions {
  readonly from: MovedBroker;
  readonly to: MovedBroker;
  readonly release: Release;
  readonly seconds: number;
  readonly rate: number;
  readonly seed: number;
  /** An empty database, by its owner's URL. */
  readonly stateStoreUrl: string;
  /** The folder in which the partners keep their ledger. */
  readonly dataFolder: string;
  readonly say: (line: string) => void;
  readonly onLog: (line: LogLine, process: string) => void;
}

interface Move {
  readonly options: MoveOptions;
  /** The release with the broker before, and with the new one. */
  readonly from: Release;
  readonly to: Release;
  readonly fleet: Fleet;
  readonly load: Load;
  readonly newBroker: ShippedBroker;
  readonly say: (line: string) => void;
  /** Milliseconds in which no Scheduler ran. */
  stoppedMs: number;
}

interface Step {
  readonly name: string;
  readonly what: string;
  /** Its part of the run, beside those of the others. */
  readonly weight: number;
  readonly play: (move: Move, ms: number) => Promise<void>;
}

/** What `docs/guides/upgrade.md` says of a move to another broker. */
const steps: readonly Step[] = [
  {
    name: "before",
    what: "everything on the broker before",
    weight: 2,
    play: (_move, ms) => spread([], ms),
  },
  {
    name: "Agents of both",
    what: "Agents on the new broker, beside those on the one before",
    weight: 1,
    play: ({ fleet, to }, ms) =>
      spread(
        Array.from({ length: counts.agent }, () => () => fleet.add("agent", to)),
        ms,
      ),
  },
  {
    name: "Schedulers",
    what: "Schedulers stopped, and started on the new broker",
    weight: 1,
    play: (move, ms) => spread([() => moveSchedulers(move)], ms),
  },
  {
    name: "the others",
    what: "Supervisors, operations and producers; submission on both until the queue before is read",
    weight: 2,
    play: moveOthers,
  },
  {
    name: "after",
    what: "the broker before is stopped",
    weight: 2,
    play: async ({ options, say }, ms) => {
      await options.from.stop();
      say(`${options.from.title} is stopped`);
      await spread([], ms);
    },
  },
];

/** Moves a running system from one broker to another, under orders and kills. */
export async function moveBroker(options: MoveOptions): Promise<MoveReport> {
  const { seconds, seed, stateStoreUrl, say } = options;
  await using stack = new AsyncDisposableStack();
  const { move, name, partnersUrl, resent } = await openMove(options, stack);
  const { from, to, fleet, load } = move;
  const windows = await play(move);
  await fleet.leaveAlone();
  await load.end();
  say("no more orders and kills; waiting for all orders to end …");
  await untilAllEnded(stateStoreUrl, load.accepted.length);
  const judged = await judgeRun(
    { fleet, from, to, stateStoreUrl },
    { name, load, partnersUrl, keptWorkflow: fulfilOrder.name, upgradedAt: Date.now() },
  );
  const { carriedBack: _back, ofKeptWorkflow: _kept, ...verdict } = judged;
  return {
    from: from.title,
    to: to.title,
    seed,
    seconds,
    phases: windows.map(reportOf({ from, fleet }, load)),
    kills: fleet.kills.length,
    crashed: fleet.crashes.length,
    overstayed: fleet.overstays.length,
    orders: load.accepted.length,
    refused: load.refused.length,
    stoppedMs: move.stoppedMs,
    resent: resent(),
    expired: await expiredSteps(stateStoreUrl),
    ...verdict,
  };
}

interface OpenMove {
  readonly move: Move;
  /** What idempotency keys begin with. */
  readonly name: string;
  readonly partnersUrl: string;
  /** How many requests were published once more because the new broker had none of them. */
  readonly resent: () => number;
}

/** Starts the whole system on the broker before, and orders. */
async function openMove(options: MoveOptions, stack: AsyncDisposableStack): Promise<OpenMove> {
  const { release, seconds, rate, seed, stateStoreUrl, dataFolder, say, onLog } = options;
  const [oldBroker, newBroker] = [await shipBroker(options.from), await shipBroker(options.to)];
  await migrateTo(release, stateStoreUrl, () => {});
  const from: Release = { ...release, title: options.from.title };
  const to: Release = { ...release, title: options.to.title };
  const shop = { stateStoreUrl, partnersUrl: "", dataFolder, ports: {}, without: [] } as const;
  const placesOn = (broker: ShippedBroker) => ({ ...shop, broker, ownWorkflow: false });
  const world = stack.use(await startPartners(placesOn(oldBroker)));
  const partnersUrl = String(world.ready["url"]);
  let resent = 0;
  const fleet = stack.use(
    openFleet({
      places: (side) => ({ ...placesOn(side === from ? oldBroker : newBroker), partnersUrl }),
      killEvery: killEvery(seconds),
      random: seededRandom(seed),
      onKill: (kill) => say(`kill -9: ${kill.service} on ${kill.release.title}`),
      onLog: (line, service, side) => {
        if (side === to && line.msg.startsWith(brokerIsNew)) resent += Number(line["steps"]);
        onLog(line, `${service} on ${side.title}`);
      },
    }),
  );
  await Promise.all(
    (Object.keys(counts) as Service[]).flatMap((service) =>
      Array.from({ length: counts[service] }, () => fleet.add(service, from)),
    ),
  );
  say(`everything on ${from.title} is ready`);
  const name = `move-${seed}-${Date.now()}`;
  const load = await loadOrders({
    run: name,
    rate,
    urls: () => fleet.urlsOf("submission"),
    releases: [release],
    urlsFor: () => fleet.urlsOf("submission"),
    brokerUrl: oldBroker.urlOf("application"),
    stateStoreUrl,
    workflow: fulfilOrder.name,
  });
  const move: Move = { options, from, to, fleet, load, newBroker, say, stoppedMs: 0 };
  return { move, name, partnersUrl, resent: () => resent };
}

/** What the first Scheduler says that finds no `scheduler.canary`. */
const brokerIsNew = "broker is new";

async function play(move: Move): Promise<readonly PhaseWindow[]> {
  const weights = steps.reduce((sum, { weight }) => sum + weight, 0);
  const windows: PhaseWindow[] = [];
  for (const { name, what, weight, play: act } of steps) {
    move.say(`phase "${name}"`);
    const since = Date.now();
    await act(move, (move.options.seconds * 1_000 * weight) / weights);
    windows.push({ name, what, since, until: Date.now() });
  }
  return windows;
}

/**
 * The first Scheduler on the new broker finds it new, and has all requests in flight published
 * there at once.
 */
async function moveSchedulers(move: Move): Promise<void> {
  const { fleet, from, to, say } = move;
  const all = Array.from({ length: counts.scheduler });
  await Promise.all(all.map(() => fleet.remove("scheduler", from)));
  const since = performance.now();
  const starting = all.map(() => fleet.add("scheduler", to));
  await Promise.race(starting);
  move.stoppedMs = Math.round(performance.now() - since);
  await Promise.all(starting);
  say(`Schedulers moved: none ran for ${move.stoppedMs} ms`);
}

/**
 * What applications have sent to the broker before is read there by its own submission, which goes
 * last.
 */
async function moveOthers(move: Move, ms: number): Promise<void> {
  const { fleet, from, to, load, newBroker, options, say } = move;
  const addSubmission = Array.from(
    { length: counts.submission },
    () => () => fleet.add("submission", to),
  );
  await spread(
    [
      ...replacing(move, ["supervisor", "operations"], [from, to]),
      ...addSubmission,
      async () => {
        await load.moveTo(newBroker.urlOf("application"));
        await untilEmpty(options.from, [submissionQueue, signalQueue]);
        say("producers moved, and the queue before is read");
      },
      ...addSubmission.map(() => () => fleet.remove("submission", from)),
      async () => {
        await untilEmpty(options.from, queuesOfAgents);
        const agents = Array.from({ length: counts.agent });
        await Promise.all(agents.map(() => fleet.remove("agent", from)));
        say("Agents on the broker before are stopped");
      },
    ],
    ms,
  );
}

const queuesOfAgents = [
  ...new Set(
    fulfilOrder.definition.steps.flatMap((step) =>
      "agent" in step ? [agentQueue(step.agent)] : [],
    ),
  ),
];

/** Milliseconds. */
const emptyWithin = 60_000;
const interval = 100;

/** Waits until no message waits in any of these queues. */
async function untilEmpty(broker: MovedBroker, queues: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + emptyWithin;
  for (;;) {
    const depths = await Promise.all(queues.map((queue) => broker.depth(queue)));
    if (depths.every((count) => count === 0)) return;
    if (performance.now() > giveUpAt) {
      throw new Error(`${broker.title} has messages in ${queues.join(", ")}: ${depths.join(", ")}`);
    }
    await sleep(interval);
  }
}

/** Steps whose time was over: what a move by time limits alone would cost. */
async function expiredSteps(url: string): Promise<number> {
  const [found] = await queryOnce<{ expired: number }>(
    url,
    "select count(*)::integer as expired from state.events where reason = 'step.expired'",
  );
  return found?.expired ?? 0;
}
