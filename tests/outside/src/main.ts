import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { followPage } from "./follow-page.ts";
import { packAll } from "./pack-all.ts";
import { runTravel } from "./run-travel.ts";
import { serveTarballs } from "./serve-tarballs.ts";

/**
 * Packs all packages and does outside of the repository what the guides say. Prints the figures.
 */
const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), "holdfast-outside-"));
try {
  await using registry = await serveTarballs(await packAll(join(folder, "tarballs")));
  const registryUrl = registry.url;
  const page = await followPage({ folder: join(folder, "page"), registryUrl, say });
  const travel = await runTravel({ folder: join(folder, "travel"), registryUrl, say });
  const left = page.processesLeft + travel.processesLeft;
  const figures = { ...page, ...travel, processesLeft: left };
  if (values.json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  else for (const [name, value] of Object.entries(figures)) say(`${name.padEnd(14)} ${value}`);
  const { processesLeft, lost, doubled } = figures;
  process.exitCode = processesLeft + lost + doubled === 0 ? 0 : 1;
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
