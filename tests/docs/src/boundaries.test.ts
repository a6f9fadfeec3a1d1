import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { readFile } from "./repository.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The packages of ours that a part's own code names, its tests left out. */
function importsOf(part: string): readonly string[] {
  const files = globSync(`${part}/src/**/*.ts`, { cwd: root }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  const found = files.flatMap((file) =>
    [...readFile(file).matchAll(/from "@holdfast\/([a-z-]+)"/g)].map(([, name = ""]) => name),
  );
  return [...new Set(found)].toSorted();
}

/** What knows the business, or how Agents do it. */
const business = ["agent", "orders", "workflow"];

test.each([
  "services/submission",
  "services/supervisor",
  "services/scheduler",
  "packages/state-store",
  "packages/domain",
])("%s knows no business: it names no workflow and no Agent", (part) => {
  expect(importsOf(part).filter((name) => business.includes(name))).toEqual([]);
});

/**
 * Words of the shop that no part of the platform needs. `order by` and `in order` are the trade's.
 */
const shopWords =
  /\b(customers?|sku|unit_?price|currency|inventory|payments|shipping|fulfil-?order|order_?lines?)\b|\bschema orders\b|\b(?:into|from|on|table|of) orders\.|@holdfast\/orders\b/gi;

/** Statements and migrations, and the code that runs them: where an import would not be seen. */
const engine = [
  "packages/state-store/{sql,migrations}/**/*.sql",
  "packages/{state-store,domain,contracts,messaging,runtime,workflow,agent}/src/**/*.ts",
  "services/{submission,scheduler,supervisor,agent}/src/**/*.ts",
];

const isTest = (file: string): boolean => /\.test\.ts$|\/testing[a-z-]*\.ts$/.test(file);

test("no statement, migration or module of the engine names the shop", () => {
  const files = engine
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !isTest(file));
  expect(files.length).toBeGreaterThan(100);
  const naming = files.filter((file) => withoutComments(readFile(file)).match(shopWords) !== null);
  expect(naming).toEqual([]);
});

/** Comments may give examples. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(?:--|\/\/).*$/gm, "");

test("holdfast and npm start write to the terminal in one file each, and nothing that commands it", () => {
  const writes = /process\.(stdout|stderr)\.write\(|\bconsole\.(log|info|warn|error)\(/;
  const files = ["packages/{cli,dev}/src/**/*.ts", "examples/orders/demo/src/**/*.ts"]
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !isTest(file) && writes.test(readFile(file)));
  expect(files).toEqual(["packages/cli/src/terminal.ts", "examples/orders/demo/src/main.ts"]);
  const written = files.flatMap((file) => [...readFile(file).matchAll(/\.write\(([^;]*)\);/g)]);
  expect(written).toHaveLength(4);
  expect(written.filter(([, what = ""]) => !/^`?(\$\{)?terminalText\(/.test(what))).toEqual([]);
});

test("what an error says is found in one place, since the message of some errors is empty", () => {
  const readers = globSync("{packages,services}/*/src/**/*.ts", { cwd: root }).filter(
    (file) =>
      !isTest(file) &&
      !file.includes("local-stack") &&
      /instanceof Error \? \w+\.message/.test(readFile(file)),
  );
  expect(readers).toEqual([]);
});

test("the Supervisor asks and watches: it neither reads requests nor writes replies", () => {
  const code = globSync("services/supervisor/src/**/*.ts", { cwd: root }).map(readFile).join("\n");
  expect(code).not.toMatch(/StepRequest|StepReply|agentQueue|child_process|process\.kill/);
});

/** Makes an HTTP server without the limits that clients have of it. */
const unguarded =
  /\bfastify\((?!\{\s*\.\.\.guardedOptions\()|import [^;]*\bcreateServer\b[^;]* from "node:(?:https?|http2)"|import\("node:(?:https?|http2)"\)/;

test.each([
  "const app = fastify({ logger: true, ...guardedOptions(guard) });",
  "const app = fastify();",
  'import { createServer, type Server } from "node:http";',
  'const { createServer } = await import("node:http");',
])("%s makes a server that nothing guards", (code) => {
  expect(code).toMatch(unguarded);
});

test("every HTTP server of the product is made by the guard", () => {
  const files = globSync("{packages,services}/*/src/**/*.{ts,tsx}", { cwd: root }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => unguarded.test(readFile(file)))).toEqual([
    "packages/runtime/src/http/guarded-server.ts",
  ]);
});

test("what is encoded in a URL or a reference is decoded by one function, which never throws", () => {
  const files = globSync("{packages,services}/*/{src,template}/**/*.{ts,tsx}", {
    cwd: root,
  }).filter((file) => !file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => /\bdecodeURI(Component)?\b/.test(readFile(file)))).toEqual([
    "packages/domain/src/percent-text.ts",
  ]);
});
