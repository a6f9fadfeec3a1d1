#!/usr/bin/env node
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const built = join(folder, "built");
const stamp = join(built, ".inputs");

/** What the page is made of: its sources, the versions of its libraries, and how it is built. */
function inputsOfPage() {
  const files = globSync("{src/**/*.{ts,tsx,css},public/*,index.html,*.mjs,package.json}", {
    cwd: folder,
    exclude: ["**/*.test.ts", "src/server/**"],
  }).toSorted();
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
  return hash.digest("hex");
}

const wanted = inputsOfPage();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  rmSync(built, { recursive: true, force: true });
  const { build } = await import("vite");
  await build({ configFile: join(folder, "vite.config.mjs"), logLevel: "warn" });
  writeFileSync(stamp, wanted);
}
