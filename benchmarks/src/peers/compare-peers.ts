import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { holdfastFolder, type LocalStack, queryOnce, startLocalStack } from "@holdfast/local-stack";
import type { BenchOptions } from "../options.ts";
import { chart } from "./chart.ts";
import { type Comparison, compare, type Round, type Setting, summaryOf } from "./comparison.ts";
import { type Contender, holdfast, peers } from "./contenders.ts";
import { foreignVersions, prepareForeignPeer } from "./foreign-programs.ts";
import { installPeers, peerVersions } from "./install-peers.ts";
import { measureContender, type Sizes } from "./measure-contender.ts";
import { report } from "./report.ts";

/**
 * Measures Holdfast and its peers in turn, round by round, on servers of its own; writes down what
 * came out, and resolves to the sum of it.
 */
export async function comparePeers(
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const sizes = sizesFor(options.orders);
  const { without } = options;
  const folder = join(holdfastFolder(), "bench-peers");
  const peersFolder = await installPeers(say);
  const contenders = [holdfast, ...(await preparedPeers(options.only, peersFolder, say))];
  await using stack = await startLocalStack({
    purpose: "demo",
    dataFolder: folder,
    fresh: true,
    log: say,
  });
  const setting = await settingOf(stack, { ...options, loneOrders: sizes.lone });
  const rounds: Round[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    say(`round ${round} of ${options.rounds}`);
    rounds.push(
      await measureRound(contenders, { stack, folder, peersFolder, sizes, without, say }),
    );
  }
  const comparison = compare({ setting, contenders, rounds });
  await writeDown(comparison, options.folder);
  say(`written to ${options.folder}`);
  say(report(comparison));
  return summaryOf(comparison);
}

interface RoundOptions {
  readonly stack: LocalStack;
  readonly folder: string;
  readonly peersFolder: string;
  readonly sizes: Sizes;
  readonly without: readonly string[];
  readonly say: (line: string) => void;
}

async function measureRound(
  contenders: readonly Contender[],
  { say, ...options }: RoundOptions,
): Promise<Round> {
  const round: Record<string, Round[string]> = {};
  for (const contender of contenders) {
    const figures = await measureContender(contender, options);
    round[contender.name] = figures;
    const { backlog, inFlight, loneP50, loneP99 } = figures;
    say(
      `${contender.title}: ${backlog.toFixed()} orders/s of a backlog, ${inFlight.toFixed()} with 100 in flight; alone ${loneP50.toFixed(1)} ms, p99 ${loneP99.toFixed(1)}`,
    );
  }
  return round;
}

/** Leaves out peers whose language this machine does not have, and says so. */
async function preparedPeers(
  only: BenchOptions["only"],
  peersFolder: string,
  say: (line: string) => void,
): Promise<readonly Contender[]> {
  const prepared: Contender[] = [];
  for (const peer of chosenPeers(only)) {
    const { foreign } = peer;
    const why = foreign === undefined ? null : await prepareForeignPeer(foreign, peersFolder, say);
    if (why === null) prepared.push(peer);
    else say(`${peer.title} is left out: ${why}`);
  }
  return prepared;
}

function chosenPeers(only: BenchOptions["only"]): readonly Contender[] {
  const unknown = only?.find((name) => peers.every((peer) => peer.name !== name));
  if (unknown === undefined) return peers.filter(({ name }) => only?.includes(name) ?? true);
  throw new Error(`--only takes ${peers.map(({ name }) => name).join(", ")}, and not ${unknown}`);
}

const sizesFor = (orders: number): Sizes => ({
  orders,
  width: 100,
  lone: Math.min(orders, 300),
  warmUp: { orders: Math.min(orders, 1_000), seconds: 6, lone: Math.min(orders, 300) },
});

async function settingOf(
  stack: LocalStack,
  { rounds, orders, loneOrders }: Pick<Setting, "rounds" | "orders" | "loneOrders">,
): Promise<Setting> {
  const [server] = await queryOnce<{ version: string; synced: boolean }>(
    stack.postgres.url,
    `select split_part(current_setting('server_version'), ' ', 1) as version,
            current_setting('fsync') = 'on' and current_setting('synchronous_commit') = 'on' as synced`,
  );
  if (server?.synced !== true) throw new Error("Postgres does not sync what it commits");
  const cores = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cores.length} cores (${cores[0]?.model.trim() ?? "unknown"})`,
    versions: {
      node: process.versions.node,
      postgres: server.version,
      ...peerVersions,
      ...foreignVersions(),
    },
    rounds,
    orders,
    loneOrders,
  };
}

async function writeDown(comparison: Comparison, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("performance.json", `${JSON.stringify(comparison, null, 2)}\n`);
  await write("performance.svg", chart(comparison));
  await write("performance.md", report(comparison));
}
