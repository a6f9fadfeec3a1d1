import { readFileSync } from "node:fs";

/** Returns the release of Holdfast that this process runs. All packages have the same version. */
export function holdfastVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
