import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { holdfastVersion } from "./version.ts";

const root = new URL("../../../../", import.meta.url);

test("every package of the repository has the version that services and the command line print", () => {
  const manifests = globSync("{.,packages/*,services/*,examples/orders/*}/package.json", {
    cwd: fileURLToPath(root),
  });
  expect(manifests.length).toBeGreaterThan(10);
  const versions = manifests.map((file) => {
    const manifest = readFileSync(new URL(file, root), "utf8");
    return (JSON.parse(manifest) as { readonly version: string }).version;
  });
  expect(new Set(versions)).toEqual(new Set([holdfastVersion()]));
});
