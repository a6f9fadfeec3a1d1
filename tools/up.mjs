#!/usr/bin/env node
import { join } from "node:path";
import { buildConsole } from "./build-console.mjs";
import { install, pnpm } from "./install.mjs";
import { fetchNode, nodeIsNewEnough, whyNotOn, withNodeFirst } from "./node.mjs";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { test } from "./test.mjs";
import { testAll } from "./test-all.mjs";

const [task = "", ...args] = process.argv.slice(2);

/** What the README promises: each task does all of its own set-up. */
const tasks = {
  start: () => runSource("examples/orders/demo/src/main.ts"),
  test: () => test(args),
  "test:unit": () => test([...args, "--selectProjects", "unit"]),
  "test:all": () => testAll(args),
  "test:servers": () => runSource("tests/servers/src/matrix/main.ts"),
  check: () => pnpm(["run", "check"]),
  bench: () => runSource("benchmarks/src/main.ts"),
  chaos: () => runSource("tests/chaos/src/main.ts"),
  fuzz: () => runShipped("tests/fuzz/src/main.ts"),
  "http-contract": () => runSource("tests/languages/http-contract.ts"),
  outside: () => runSource("tests/outside/src/main.ts"),
  pictures: () => runSource("tests/browser/src/pictures/main.ts"),
  pattern: () => runSource("tests/pattern/src/main.ts"),
  "upgrade-run": () => runShipped("tests/upgrade/src/main.ts"),
  simulate: () => runSource("tests/simulation/src/main.ts"),
  reference: () => runSource("tests/docs/src/write-reference.ts"),
  rows: () => writeRows(),
  stack: () => runSource("packages/local-stack/src/main.ts"),
  holdfast: () => runSource("packages/cli/src/main.ts"),
};

/**
 * Writes the code that follows from the OpenAPI document, unless that was done before: some
 * milliseconds.
 */
async function writeClients() {
  // Only Node 24 loads TypeScript: this file must run on older ones, too.
  const clients = await import("./clients/src/write-clients.ts");
  await clients.writeClients();
}

/** Tasks that start a service with the console, or pack it. */
const servesConsole = new Set(["start", "bench", "outside", "pictures", "holdfast"]);

/** @param {string} line */
const say = (line) => void process.stderr.write(`${line}\n`);

/** @param {string} file */
function runSource(file) {
  return run(process.execPath, ["--conditions=@holdfast/source", join(root, file), ...args]);
}

/**
 * Runs what judges services as they are shipped: compiled.
 * @param {string} file
 */
async function runShipped(file) {
  await run(process.execPath, [join(root, "tools/bundle.mjs")]);
  process.env["HOLDFAST_COMPILED"] = "yes";
  return await runSource(file);
}

/**
 * Writes the types of the statements from a migrated database, and compares them as the test does.
 */
function writeRows() {
  process.env["WRITE_STATEMENT_TYPES"] = "yes";
  return test(["packages/state-store/src/postgres/statement-types"]);
}

async function main() {
  const chosen = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
  if (!chosen) throw new Error(`Say which task: ${Object.keys(tasks).join(", ")}.`);
  const whyNot = whyNotOn(process.platform);
  if (whyNot !== null) throw new Error(whyNot);
  if (!nodeIsNewEnough()) {
    const node = fetchNode(say);
    return await run(node, process.argv.slice(1), { env: withNodeFirst(node) });
  }
  await install(say);
  await writeClients();
  if (servesConsole.has(task)) await buildConsole();
  return await chosen();
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
