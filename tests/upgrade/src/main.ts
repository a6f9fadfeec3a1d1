import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newestRelease, openRunFolder, runTool, startRunServers } from "@holdfast/processes";
import { repository } from "@holdfast/test-servers";
import { readOptions, type UpgradeOptions, usage } from "./options.ts";
import { releaseOf, thisRelease } from "./release.ts";
import { runUpgrade } from "./run-upgrade.ts";
import { faultsOf, ordersOf, type UpgradeReport } from "./upgrade-report.ts";
import { writePage } from "./write-page.ts";

const noRelease = "This repository has no tag v* of a release: name a revision with --from REV.";

type Say = (line: string) => void;

await runTool({
  readOptions,
  usage,
  async run(options, say) {
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
    if (page) await writeDown(report);
    if (json) process.stdout.write(`${JSON.stringify({ ...report, faults })}\n`);
    return faults.length === 0;
  },
});

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

async function writeDown(report: UpgradeReport): Promise<void> {
  const file = join(repository, "docs/evidence/upgrade.md");
  const before = existsSync(file) ? await readFile(file, "utf8") : "";
  await writeFile(file, writePage(before, report, new Date()));
}
