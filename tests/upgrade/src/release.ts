import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { checkOut, type DefinitionsOf, describeThis } from "@holdfast/processes";
import { programAt, repository } from "@holdfast/test-servers";

/** One of the two releases of a run, compiled. */
export interface Release {
  /** What it is called: the short name of its commit. */
  readonly title: string;
  /** The root of its files. */
  readonly root: string;
  /** How it makes the definitions that the broker imports. */
  readonly definitionsOf: DefinitionsOf;
}

/** The release of this folder. */
export const thisRelease = async (): Promise<Release> =>
  releaseAt(await describeThis(), repository);

/**
 * The release of another revision, which is checked out, installed and compiled unless an earlier
 * run did so.
 */
export async function releaseOf(revision: string, say: (line: string) => void): Promise<Release> {
  const { title, root } = await checkOut(revision, say);
  const bundle = join(root, "tools/bundle.mjs");
  if (!existsSync(bundle)) throw new Error(`${title} has no tools/bundle.mjs to compile it with`);
  say(`compiling ${title} …`);
  await runProgram([bundle], { root, onLine: () => {} });
  return await releaseAt(title, root);
}

async function releaseAt(title: string, root: string): Promise<Release> {
  const messaging = pathToFileURL(join(root, "packages/messaging/src/index.ts")).href;
  const { definitionsOf } = (await import(messaging)) as {
    readonly definitionsOf: DefinitionsOf;
  };
  return { title, root, definitionsOf };
}

const migrationsOf = ({ root }: Release): readonly string[] =>
  readdirSync(join(root, "packages/state-store/migrations")).toSorted();

/** What a migration says that waits until no service runs. */
const stopsServices = "stop all services first";

export interface PendingMigrations {
  readonly names: readonly string[];
  /** Whether one of them waits until all services but the Agents are stopped. */
  readonly stopServices: boolean;
}

/** The migrations that a later release has and an earlier one has not. */
export function pendingMigrations(earlier: Release, later: Release): PendingMigrations {
  const known = new Set(migrationsOf(earlier));
  const files = migrationsOf(later).filter((file) => !known.has(file));
  const texts = files.map((file) =>
    readFileSync(join(later.root, "packages/state-store/migrations", file), "utf8"),
  );
  return {
    names: files.map((file) => file.replace(/\.sql$/, "")),
    stopServices: texts.some((text) => text.includes(stopsServices)),
  };
}

/** Runs the migration of a release, with the login of the database's owner. */
export const migrateTo = (
  { root }: Release,
  stateStoreUrl: string,
  onLine: (line: string) => void,
): Promise<void> =>
  runProgram(programAt("packages/state-store", root), {
    root,
    env: { STATE_STORE_URL: stateStoreUrl },
    onLine,
  });

interface ProgramOptions {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
}

/** The last lines that a program that failed is quoted with. */
const quoted = 20;

/** Runs a program of Node. Throws with its last lines unless it ends with 0. */
async function runProgram(
  args: readonly string[],
  { root, env = {}, onLine }: ProgramOptions,
): Promise<void> {
  const child = spawn(process.execPath, [...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      onLine(line);
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error([`exit code ${code}:`, ...lines.slice(-quoted)].join("\n"));
}
