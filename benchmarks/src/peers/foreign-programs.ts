import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A peer whose program is in another language: its folder below `benchmarks/peers`. */
export type ForeignPeer = "temporal" | "river" | "celery";

const run = promisify(execFile);

/** The folder of a peer's sources. */
export const sourcesOf = (peer: ForeignPeer): string =>
  fileURLToPath(new URL(`../../peers/${peer}`, import.meta.url));

/** The folder that a peer's programs are built or installed into. */
export const builtFolder = (peersFolder: string, peer: ForeignPeer): string =>
  join(peersFolder, "built", peer);

/** The Python that has the packages of a peer. */
export const pythonOf = (peersFolder: string, peer: ForeignPeer): string =>
  join(builtFolder(peersFolder, peer), "bin", "python3");

/**
 * Packages of Go of each peer: Temporal's server and its tool for schemas are in the module that
 * has them in its dependencies.
 */
const goPackages: Readonly<Partial<Record<ForeignPeer, readonly string[]>>> = {
  temporal: [".", "go.temporal.io/server/cmd/server", "go.temporal.io/server/cmd/tools/sql"],
  river: ["."],
};

/**
 * Builds or installs the programs of a peer, and resolves to null; or to why it cannot take part,
 * where this machine has no tools for its language. Throws when the tools are there and fail.
 */
export async function prepareForeignPeer(
  peer: ForeignPeer,
  peersFolder: string,
  say: (line: string) => void,
): Promise<string | null> {
  const packages = goPackages[peer];
  const tool = packages === undefined ? "python3" : "go";
  if (!(await answers(tool, packages === undefined ? "--version" : "version"))) {
    return `this machine has no ${tool}`;
  }
  const folder = builtFolder(peersFolder, peer);
  await mkdir(folder, { recursive: true });
  say(`building ${peer} in ${folder} …`);
  if (packages === undefined) await installPython(peer, peersFolder);
  // Go builds only what has changed.
  else await run("go", ["build", "-o", `${folder}/`, ...packages], { cwd: sourcesOf(peer) });
  return null;
}

/** The file in which the version of each peer stands, and the name that it has there. */
const pinned: Readonly<Record<ForeignPeer, { readonly file: string; readonly name: string }>> = {
  temporal: { file: "go.mod", name: "go.temporal.io/server" },
  river: { file: "go.mod", name: "github.com/riverqueue/river" },
  celery: { file: "requirements.txt", name: "celery" },
};

/** The version of each peer, by its name; those that npm installs are not among them. */
export function foreignVersions(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(pinned).map(([peer, { file, name }]) => {
      const text = readFileSync(join(sourcesOf(peer as ForeignPeer), file), "utf8");
      return [name, versionIn(text, name)];
    }),
  );
}

/** The version of a package in a `go.mod` or a `requirements.txt`. Throws where there is none. */
export function versionIn(text: string, name: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const line = lines.find((one) => one.startsWith(`${name} v`) || one.startsWith(`${name}==`));
  const version = line?.slice(name.length).match(/[\d.]+/)?.[0];
  if (version === undefined) throw new Error(`${name} has no version`);
  return version;
}

const answers = (tool: string, argument: string): Promise<boolean> =>
  run(tool, [argument]).then(
    () => true,
    () => false,
  );

async function installPython(peer: ForeignPeer, peersFolder: string): Promise<void> {
  const requirements = join(sourcesOf(peer), "requirements.txt");
  const folder = builtFolder(peersFolder, peer);
  const stamp = join(folder, "installed");
  const wanted = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  await run("python3", ["-m", "venv", folder]);
  const install = ["-m", "pip", "install", "--quiet", "--requirement", requirements];
  await run(pythonOf(peersFolder, peer), install);
  writeFileSync(stamp, wanted);
}
