import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** What is read of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
}

/** A package that is published. */
export interface PublicPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages of this repository that are published, by their manifests. */
export function publicPackages(): readonly PublicPackage[] {
  return globSync("{packages,services}/*/package.json", { cwd: root })
    .toSorted()
    .map((file) => ({
      folder: join(root, dirname(file)),
      manifest: JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest,
    }))
    .filter(({ manifest }) => manifest.private !== true);
}
