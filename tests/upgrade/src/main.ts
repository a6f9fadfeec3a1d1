import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  askBroker,
  createDatabase,
  type RabbitmqCluster,
  startPostgres,
  startRabbitmqCluster,
} from "@holdfast/local-stack";
import { newestRelease, openRunFolder, runTool, startRunServers } from "@holdfast/processes";
import {
  installedRelease,
  rabbitmqRelease,
  repository,
  serversCache,
} from "@holdfast/test-servers";
import { type MovedBroker, moveBroker } from "./move-broker.ts";
import { faultsOfMove, type MoveReport } from "./move-report.ts";
import { readOptions, type UpgradeOptions, usage } from "./options.ts";
import { releaseOf, thisRelease } from "./release.ts";
import { runUpgrade } from "./run-upgrade.ts";
import { faultsOf, ordersOf, type UpgradeReport } from "./upgrade-report.ts";
import { writeMove, writePage } from "./write-page.ts";

const noRelease = "This repository has no tag v* of a release: name a revision with --from REV.";

type Say = (line: string) => void;

await runTool({
  readOptions,
  usage,
  run: (options, say) =>
    options.rabbitmq === null ? upgrade(options, say) : move(options, options.rabbitmq, say),
});

async function upgrade(options: UpgradeOptions, say: Say): Promise<boolean> {
  const { json, page } = options;
  const revision = options.from ?? (await newestRelease());
  if (revision === null) {
    process.stderr.write(`${noRelease}\n\n${usage}\n`);
    process.exit(2);
  }
  const report = await upgradeFrom(revision, options, say);
  const faults = faultsOf(report);
  for (const fault of [...faults, ...report.witnesses]) say(`wrong: ${fault}`);
  const { from, to, kills, lost, doubled } = report;
  say(
    `${from} to ${to}: ${ordersOf(report)} orders, ${kills} kills, ${lost} lost, ${doubled} doubled`,
  );
  if (page) await writeDown((before) => writePage(before, report, new Date()));
  if (json) process.stdout.write(`${JSON.stringify({ ...report, faults })}\n`);
  return faults.length === 0;
}

async function move(options: UpgradeOptions, rabbitmq: string, say: Say): Promise<boolean> {
  const report = await moveTo(rabbitmq, options, say);
  const faults = faultsOfMove(report);
  for (const fault of [...faults, ...report.witnesses]) say(`wrong: ${fault}`);
  const { from, to, orders, kills, lost, doubled } = report;
  say(`${from} to ${to}: ${orders} orders, ${kills} kills, ${lost} lost, ${doubled} doubled`);
  if (options.page) await writeDown((before) => writeMove(before, report, new Date()));
  if (options.json) process.stdout.write(`${JSON.stringify({ ...report, faults })}\n`);
  return faults.length === 0;
}

/** Starts a Postgres and two clusters of RabbitMQ, and moves a system from one to the other. */
async function moveTo(rabbitmq: string, options: UpgradeOptions, say: Say): Promise<MoveReport> {
  const { seconds, rate, seed } = options;
  const release = await thisRelease();
  const next = await rabbitmqRelease(rabbitmq, serversCache());
  const scripts = next.variables["HOLDFAST_RABBITMQ"] ?? null;
  await using folder = await openRunFolder("upgrade", seed);
  const { servers } = folder;
  say(`${release.title} moves to RabbitMQ ${rabbitmq}, seed ${seed}; logs: ${folder.path}`);
  await using stack = new AsyncDisposableStack();
  const dataFolder = join(servers, "postgres");
  await mkdir(dataFolder, { recursive: true });
  const postgres = stack.use(await startPostgres({ dataFolder }));
  const { url: stateStoreUrl } = await createDatabase(postgres.url, { name: "holdfast" });
  const cluster = async (title: string, from: string | null): Promise<MovedBroker> => {
    const nodes = join(servers, title.replaceAll(" ", "-"));
    return clusterOf(
      title,
      stack.use(await startRabbitmqCluster({ dataFolder: nodes, scripts: from, log: say })),
    );
  };
  const before = await cluster(`RabbitMQ ${installedRelease()}`, null);
  const after = await cluster(`RabbitMQ ${rabbitmq}`, scripts);
  const begun = performance.now();
  return await moveBroker({
    from: before,
    to: after,
    release,
    seconds,
    rate,
    seed,
    stateStoreUrl,
    dataFolder: folder.path,
    say: (line) => say(`${((performance.now() - begun) / 1_000).toFixed(1)} s  ${line}`),
    onLog: folder.onLog,
  });
}

function clusterOf(title: string, cluster: RabbitmqCluster): MovedBroker {
  const [{ url } = { url: "" }] = cluster.nodes;
  return {
    title,
    url: cluster.url,
    importDefinitions: (definitions) => cluster.importDefinitions(definitions),
    depth: (queue) =>
      askBroker(url, async (channel) => (await channel.checkQueue(queue)).messageCount),
    async stop() {
      await cluster[Symbol.asyncDispose]();
    },
  };
}

async function upgradeFrom(
  revision: string,
  { seconds, rate, seed }: UpgradeOptions,
  say: Say,
): Promise<UpgradeReport> {
  const [from, to] = [await releaseOf(revision, say), await thisRelease()];
  await using folder = await openRunFolder("upgrade", seed);
  say(`from ${from.title} to ${to.title}, seed ${seed}; logs: ${folder.path}`);
  await using servers = await startRunServers(folder, say);
  const begun = performance.now();
  return await runUpgrade({
    from,
    to,
    seconds,
    rate,
    seed,
    stateStoreUrl: servers.stateStoreUrl,
    broker: servers.broker,
    dataFolder: folder.path,
    say: (line) => say(`${((performance.now() - begun) / 1_000).toFixed(1)} s  ${line}`),
    onLog: folder.onLog,
  });
}

async function writeDown(write: (before: string) => string): Promise<void> {
  const file = join(repository, "docs/evidence/upgrade.md");
  await writeFile(file, write(existsSync(file) ? await readFile(file, "utf8") : ""));
}
