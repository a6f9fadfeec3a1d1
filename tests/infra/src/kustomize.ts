import { execFileSync } from "node:child_process";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "./manifest.ts";
import { pathOf } from "./repository.ts";

const kubectl = "kubectl";
/** The major version of the Kustomize within. */
const oldest = 5;

/** Why this machine cannot render Kustomize folders; null if it can. */
export function whyNotRendered(): string | null {
  try {
    const answer = execFileSync(kubectl, ["version", "--client", "--output=json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { kustomizeVersion = "v0" } = JSON.parse(answer) as { kustomizeVersion?: string };
    const major = Number(/^v(\d+)/.exec(kustomizeVersion)?.[1]);
    return major >= oldest ? null : `kubectl 1.27 or newer is needed, found ${kustomizeVersion}`;
  } catch {
    return "kubectl 1.27 or newer is needed, found none";
  }
}

/** The objects that a Kustomize folder stands for. */
export function render(folder: string): readonly Manifest[] {
  const text = execFileSync(kubectl, ["kustomize", pathOf(folder)], { encoding: "utf8" });
  return parseAllDocuments(text).map((document) => unwrapped(document.toJS() as Manifest));
}

/** Kustomize wraps long secrets, which Kubernetes reads but schemas refuse. */
function unwrapped(object: Manifest & { readonly data?: Readonly<Record<string, string>> }) {
  if (object.kind !== "Secret") return object;
  const entries = Object.entries(object.data ?? {});
  const data = Object.fromEntries(entries.map(([key, text]) => [key, text.replaceAll("\n", "")]));
  return { ...object, data };
}
