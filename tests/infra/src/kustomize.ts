import { execFileSync } from "node:child_process";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "./manifest.ts";
import { pathOf } from "./repository.ts";

/** Ways to render a folder, the first of which is taken: kubectl brings a Kustomize of its own. */
const renderers = [
  { command: "kubectl", version: ["version", "--client", "--output=json"], build: ["kustomize"] },
  { command: "kustomize", version: ["version"], build: ["build"] },
] as const;
/** The major version of Kustomize. */
const oldest = 5;

const renderer = renderers.find(({ command, version }) => majorOf(command, version) >= oldest);

function majorOf(command: string, version: readonly string[]): number {
  try {
    const answer = execFileSync(command, [...version], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, major = "0"] =
      /"kustomizeVersion": "v(\d+)/.exec(answer) ?? /^v(\d+)/.exec(answer) ?? [];
    return Number(major);
  } catch {
    return 0;
  }
}

/** Why this machine cannot render Kustomize folders; null if it can. Says so where it is seen. */
export function whyNotRendered(): string | null {
  if (renderer !== undefined) return null;
  const reason = "neither kubectl 1.27 or newer nor kustomize 5 or newer is installed";
  process.stderr.write(`The manifests in infra/kubernetes are not tested: ${reason}.\n`);
  return reason;
}

const rendered = new Map<string, readonly Manifest[]>();

/** The objects that a Kustomize folder stands for. It is rendered once. */
export function render(folder: string): readonly Manifest[] {
  const objects = rendered.get(folder) ?? build(folder);
  rendered.set(folder, objects);
  return objects;
}

function build(folder: string): readonly Manifest[] {
  if (renderer === undefined) throw new Error("Nothing here renders Kustomize folders");
  const { command, build: subcommand } = renderer;
  const text = execFileSync(command, [...subcommand, pathOf(folder)], { encoding: "utf8" });
  return parseAllDocuments(text).map((document) => unwrapped(document.toJS() as Manifest));
}

/** Kustomize wraps long secrets, which Kubernetes reads but schemas refuse. */
function unwrapped(object: Manifest & { readonly data?: Readonly<Record<string, string>> }) {
  if (object.kind !== "Secret") return object;
  const entries = Object.entries(object.data ?? {});
  const data = Object.fromEntries(entries.map(([key, text]) => [key, text.replaceAll("\n", "")]));
  return { ...object, data };
}
