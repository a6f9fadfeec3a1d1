import { readFileSync } from "node:fs";
import { readFromTarball } from "./pack-all.ts";
import { publicPackages } from "./public-packages.ts";
import { serveTarballs } from "./serve-tarballs.ts";

const tarballs = await Promise.all(
  publicPackages().map(async (one) => {
    const name = one.manifest.name.replace(/^@/, "").replace("/", "-");
    const file = `/tmp/w/travel-scratch/tarballs/${name}-${one.manifest.version}.tgz`;
    return { ...one, file, packed: JSON.parse(await readFromTarball(file, "package.json")) };
  }),
);
const registry = await serveTarballs(tarballs as never);
console.log(registry.url);
await new Promise((resolve) => setTimeout(resolve, 3600_000));
