// Copies the documentation into the package before it is packed, so that `holdfast docs` and `holdfast mcp` have the
// pages of their own release; with --clean, removes the copy afterwards.
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const rooms = ["get-started", "guides", "reference", "internals"].map((room) => `docs/${room}`);
const files = ["llms.txt", "llms-full.txt"];

for (const copy of ["docs", ...files]) rmSync(here(copy), { recursive: true, force: true });
if (!process.argv.includes("--clean")) {
  for (const part of [...rooms, ...files]) {
    cpSync(here(`../../${part}`), here(part), { recursive: true });
  }
}
