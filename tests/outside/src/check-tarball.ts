import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, normalize } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { readFromTarball, type Tarball } from "./pack-all.ts";
import { runProgram } from "./run-program.ts";

/** Scripts that a package manager runs when a user installs the package. */
const installScripts = ["preinstall", "install", "postinstall", "prepare"];

/** What is wrong with a package as it is published, each in one sentence. */
export async function checkTarball(tarball: Tarball): Promise<readonly string[]> {
  const { name } = tarball.manifest;
  const faults = [
    ...(await ownFaults(tarball)),
    ...(await publintFaults(tarball)),
    ...(await typeFaults(tarball)),
  ];
  return faults.map((fault) => `${name}: ${fault}`);
}

async function ownFaults({ file, packed }: Tarball): Promise<readonly string[]> {
  const { stdout } = await runProgram("tar", ["--list", "--file", file]);
  const files = new Set(stdout.trimEnd().split("\n"));
  const faults: string[] = [];
  if (!files.has("package/LICENSE")) faults.push("has no LICENSE");
  if (packed.engines?.["node"] !== ">=22") faults.push("engines.node is not >=22");
  for (const script of installScripts) {
    if (packed.scripts?.[script] !== undefined) faults.push(`has the install script ${script}`);
  }
  for (const [dependency, range] of Object.entries(packed.dependencies ?? {})) {
    if (/^(workspace|catalog):/.test(range)) faults.push(`${dependency} has the range ${range}`);
  }
  for (const one of files) {
    if (/\.test\.|\.tsbuildinfo$/.test(one)) faults.push(`holds ${one}`);
    if (!one.endsWith(".map")) continue;
    const { sources } = JSON.parse(await readFromTarball(file, one.slice("package/".length))) as {
      readonly sources: readonly string[];
    };
    // Of another package that is compiled in there is no source here.
    const own = sources.filter((source) => !source.includes("/node_modules/"));
    const missing = own.filter((source) => !files.has(normalize(join(dirname(one), source))));
    if (missing.length > 0) faults.push(`${one} names ${missing.join(", ")}, which is not there`);
    if (own.length < sources.length && !files.has("package/dist/THIRD-PARTY-LICENCES.txt")) {
      faults.push(`${one} holds other packages, whose licences are not there`);
    }
  }
  return faults;
}

async function publintFaults({ file }: Tarball): Promise<readonly string[]> {
  const content = readFileSync(file);
  const tarball = new Uint8Array(content).buffer;
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages
    .filter(({ type }) => type !== "suggestion")
    .map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** A package that only brings a command has nothing to import. */
async function typeFaults({ file, manifest }: Tarball): Promise<readonly string[]> {
  if (manifest.exports === undefined) return [];
  const package_ = createRequire(import.meta.url).resolve("@arethetypeswrong/cli/package.json");
  const attw = join(dirname(package_), "dist/index.js");
  const options = ["--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji"];
  const ran = await runProgram(process.execPath, [attw, file, ...options], { mayFail: true });
  return ran.code === 0 ? [] : [`attw: ${ran.output}`];
}
