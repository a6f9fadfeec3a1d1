import { createWriteStream, existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  askBroker,
  createDatabase,
  holdfastFolder,
  type RabbitmqCluster,
  startLocalStack,
  startPostgres,
  startRabbitmqCluster,
} from "@holdfast/local-stack";
import { newestRelease } from "@holdfast/processes";
import { commandLine } from "@holdfast/runtime";
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
/** Milliseconds. What has not stopped by then is killed with us. */
const stopWithin = 20_000;

// Each Ctrl-C ends it at once: what we started is taken along by its guards.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));

const asked = commandLine(readOptions, usage);
try {
  process.exitCode = (await main(asked)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
} finally {
  setTimeout(() => process.exit(), stopWithin).unref();
}

async function main(options: UpgradeOptions): Promise<boolean> {
  const { json } = options;
  const say = (line: string): void =>
    void (json ? process.stderr : process.stdout).write(`${line}\n`);
  return options.rabbitmq === null
    ? await upgrade(options, say)
    : await move(options, options.rabbitmq, say);
}

type Say = (line: string) => void;

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
  const folder = join(holdfastFolder(), "upgrade", `${seed}-${process.pid}`);
  const servers = join(folder, "servers");
  await mkdir(servers, { recursive: true });
  say(`${release.title} moves to RabbitMQ ${rabbitmq}, seed ${seed}; logs: ${folder}`);
  const log = createWriteStream(join(folder, "services.log"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(servers, { recursive: true, force: true }));
  stack.defer(() => void log.end());
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
    dataFolder: folder,
    say: (line) => say(`${((performance.now() - begun) / 1_000).toFixed(1)} s  ${line}`),
    onLog: (line, process) => log.write(`${JSON.stringify({ process, ...line })}\n`),
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
  const folder = join(holdfastFolder(), "upgrade", `${seed}-${process.pid}`);
  const servers = join(folder, "servers");
  await mkdir(folder, { recursive: true });
  say(`from ${from.title} to ${to.title}, seed ${seed}; logs: ${folder}`);
  const log = createWriteStream(join(folder, "services.log"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(servers, { recursive: true, force: true }));
  stack.defer(() => void log.end());
  const { postgres, broker } = stack.use(
    await startLocalStack({ purpose: "demo", dataFolder: servers, fresh: true, log: say }),
  );
  const { url: stateStoreUrl } = await createDatabase(postgres.url, { name: "holdfast" });
  const begun = performance.now();
  return await runUpgrade({
    from,
    to,
    seconds,
    rate,
    seed,
    stateStoreUrl,
    broker,
    dataFolder: folder,
    say: (line) => say(`${((performance.now() - begun) / 1_000).toFixed(1)} s  ${line}`),
    onLog: (line, process) => log.write(`${JSON.stringify({ process, ...line })}\n`),
  });
}

async function writeDown(write: (before: string) => string): Promise<void> {
  const file = join(repository, "docs/evidence/upgrade.md");
  await writeFile(file, write(existsSync(file) ? await readFile(file, "utf8") : ""));
}
