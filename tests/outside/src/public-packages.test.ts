import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { publicPackages, root } from "./public-packages.ts";

const packages = publicPackages();

test("changesets gives all packages that are published one version", () => {
  const { fixed } = JSON.parse(readFileSync(join(root, ".changeset/config.json"), "utf8"));
  expect(fixed).toEqual([packages.map(({ manifest }) => manifest.name).toSorted()]);
  expect(new Set(packages.map(({ manifest }) => manifest.version)).size).toBe(1);
});

test.each(packages)(
  "$manifest.name has a README that begins with its name",
  ({ folder, manifest }) => {
    const readme = join(folder, "README.md");
    const [title] = existsSync(readme) ? readFileSync(readme, "utf8").split("\n") : [];
    expect(title).toBe(`# ${manifest.name}`);
  },
);

test("a package that is published depends on no package that is not", () => {
  const names = packages.map(({ manifest }) => manifest.name);
  for (const { manifest } of packages) {
    const own = Object.entries(manifest.dependencies ?? {})
      .filter(([, range]) => range.startsWith("workspace:"))
      .map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(own));
  }
});
