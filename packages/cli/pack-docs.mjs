// Copies the documentation into the package before it is packed, so that `holdfast docs` and
// `holdfast mcp` have the pages of their own release, and writes all of it to llms-full.txt; so
// also what operators set up services with. With --clean, removes all of it afterwards.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { docPages } from "./src/docs/doc-pages.ts";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const rooms = ["get-started", "guides", "reference", "internals"].map((room) => `docs/${room}`);
const index = "llms.txt";
const full = "llms-full.txt";

for (const copy of ["docs", "setup", index, full])
  rmSync(here(copy), { recursive: true, force: true });
if (!process.argv.includes("--clean")) {
  for (const part of [...rooms, index]) {
    cpSync(here(`../../${part}`), here(part), { recursive: true });
  }
  cpSync(here("../../infra/systemd"), here("setup"), { recursive: true });
  cpSync(here("../../infra/postgres/logins.sql"), here("setup/logins.sql"));
  const pages = docPages().map(({ name, text }) => `<!-- docs/${name}.md -->\n\n${text.trim()}`);
  const readme = readFileSync(here("../../README.md"), "utf8").trim();
  writeFileSync(here(full), `${[readme, ...pages].join("\n\n")}\n`);
}
