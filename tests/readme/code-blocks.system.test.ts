import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { operatorToken, startSystem } from "@holdfast/processes";
import { holdfastCommand, migratedDatabase, testBroker } from "@holdfast/test-servers";
import { describe, expect, test } from "@jest/globals";
import { type CodeBlock, codeBlocksOf, commandsOf, pages } from "./code-blocks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const blocks = pages.flatMap(codeBlocksOf);
const inLanguage = (language: string): readonly CodeBlock[] =>
  blocks.filter((block) => block.language === language);

/** Languages of blocks that hold nothing to run, and why. */
const shown: Readonly<Record<string, string>> = {
  text: "what a command printed",
  mermaid: "a drawing",
  python: "tests/languages runs the program, and tests/docs compares the block with it",
  dockerfile: "tests/infra compares it with the base image",
  sql: "packages/state-store/src/submit makes such a login, and submits with it",
  yaml: "tests/infra renders the chart with it",
  ini: "tests/faults/pooler.ts starts PgBouncer with it",
};

/** Commands that no test of the docs runs, and why. */
const notRun: readonly (readonly [RegExp, string])[] = [
  [/^git clone /, "a checkout does not know where it came from"],
  [/^npm start/, "starts everything until Ctrl-C; examples/orders/demo has tests of its own"],
  [/^npm test/, "is what runs this"],
  [
    /^npm run (bench|chaos|fuzz|simulate|stack|upgrade-run)/,
    "takes minutes; each has tests of its own",
  ],
  [/^npx holdfast/, "runs in a project of one's own; packages/cli has tests of the same"],
  [
    /workflows=active|openapi-typescript|datamodel-codegen/,
    "needs generators; tests/languages runs them on the same document",
  ],
  [/python3 /, "tests/languages starts the program"],
  [/conformance/, "needs a running Agent; tests/languages runs it"],
  [/topology (check|apply)/, "needs an administrator; packages/cli has tests of its own"],
  [/^docker compose/, "needs Docker; tests/infra checks the file"],
];
const isRun = (command: string): boolean => !notRun.some(([pattern]) => pattern.test(command));

test("every block of code says in which language it is, and is run, checked or excused", () => {
  const known = new Set(["sh", "ts", "json", ...Object.keys(shown)]);
  const unknown = blocks.filter(({ language }) => !known.has(language));
  expect(unknown.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

test("every block of TypeScript belongs to an example that a test compiles and runs", () => {
  const alone = inLanguage("ts").filter(({ text }) => !/^\/\/ (trips|stays)\/src\//.test(text));
  expect(alone.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

test.each(inLanguage("json").map((block) => [`${block.page}:${block.line}`, block] as const))(
  "the block of JSON at %s can be parsed",
  (_, { text }) => {
    expect(JSON.parse(text)).toBeInstanceOf(Object);
  },
);

test("every npm command is a script of this repository", async () => {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const names = inLanguage("sh")
    .flatMap(commandsOf)
    .flatMap((command) => /^npm (?:run )?([a-z]+(?:[-:][a-z]+)*)/.exec(command)?.[1] ?? []);
  expect(names.filter((name) => !(name in scripts))).toEqual([]);
});

/** A command with the addresses of this test instead of those of `npm start`. */
interface Surroundings {
  readonly urls: readonly (readonly [string, string])[];
  readonly env: Readonly<Record<string, string>>;
}

interface Result {
  readonly exitCode: number;
  readonly output: string;
}

/** curl says with which status it was answered. */
const prelude = `
curl() { command curl --silent --show-error --write-out '\\nstatus %{http_code}\\n' "$@"; }
npm() { shift 3; "$NODE" ${holdfastCommand.join(" ")} "$@"; }
`;

function run(command: string, { urls, env }: Surroundings): Promise<Result> {
  const local = urls.reduce((text, [from, to]) => text.replaceAll(from, to), command);
  const { promise, resolve } = Promise.withResolvers<Result>();
  execFile(
    "bash",
    ["--norc", "-c", `${prelude}\n${local}`],
    { cwd: root, env: { PATH: process.env["PATH"], NODE: process.execPath, ...env } },
    (error, stdout, stderr) => {
      resolve({ exitCode: Number(error?.code ?? 0), output: `${stdout}${stderr}` });
    },
  );
  return promise;
}

/**
 * Done, or refused because of where the order just is: a page cannot know its version. `doctor` may
 * have found something, and says so with a 1.
 */
function isWell(command: string, { exitCode, output }: Result): boolean {
  if (command.endsWith("doctor") && exitCode === 1) return true;
  if (command.startsWith("npm") || command.startsWith("export ")) return exitCode === 0;
  return exitCode === 0 && /status (200|202|204|409|412)\n/.test(output);
}

describe("the commands of the pages, on a system of their own", () => {
  test("are answered as the pages say, one after the other", async () => {
    await using database = await migratedDatabase();
    await using broker = await testBroker();
    const dataFolder = await mkdtemp(join(tmpdir(), "holdfast-pages-"));
    await using _folder = {
      [Symbol.asyncDispose]: () => rm(dataFolder, { recursive: true, force: true }),
    };
    await using system = await startSystem({
      stateStoreUrl: database.url,
      broker,
      dataFolder,
      count: { operations: 1 },
    });
    const urls = [
      ["http://127.0.0.1:3000", system.submissionUrl],
      ["http://127.0.0.1:3001", system.operationsUrl],
      ["http://127.0.0.1:4000", system.partnersUrl],
    ] as const;
    const servers = {
      STATE_STORE_URL: database.url,
      BROKER_URL: broker.url,
      HOLDFAST_URL: system.operationsUrl,
      HOLDFAST_TOKEN: operatorToken,
    };
    // A page may act on the order of a page before it.
    let id = "";
    const failed: string[] = [];
    const commands = inLanguage("sh").flatMap(commandsOf).filter(isRun);
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) {
      const result = await run(command, { urls, env: { ...servers, ID: id } });
      id = /"id": ?"([0-9a-f-]{36})"/.exec(result.output)?.[1] ?? id;
      if (!isWell(command, result)) failed.push(`${command}\n${result.output}`);
    }
    expect(failed).toEqual([]);
  });
});
