import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { operatorToken, startSystem } from "@holdfast/processes";
import { installPythonTool } from "./python-tool.ts";
import { welcome } from "./welcome.ts";

/** The tool, which lives in an environment of its own outside of the repository. */
const schemathesis = "schemathesis==4.32.5";
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "use_after_free",
];
const page = "docs/evidence/http-contract.md";

/** Resolves to the path of the tool. */
const installTool = async (): Promise<string> =>
  process.env["SCHEMATHESIS"] || join(await installPythonTool(schemathesis), "schemathesis");

interface Target {
  readonly name: string;
  readonly url: string;
  readonly seconds: number;
  readonly seed: string;
  /**
   * Values of parameters, so that requests are about what there is; by the names that the tool has
   * for them.
   */
  readonly known?: Readonly<Record<string, string>>;
}

/**
 * Any refusal will do for what is invalid: it may be too long, too, or about a version that was not
 * seen.
 */
const configOf = (known: Target["known"] = {}): string =>
  [
    "[parameters]",
    ...Object.entries(known).map(([name, value]) => `"${name}" = '${value}'`),
    "[checks.negative_data_rejection]",
    'expected-statuses = ["4xx"]',
    "",
  ].join("\n");

interface Judged {
  readonly name: string;
  readonly exitCode: number;
  /** What the tool says at its end. */
  readonly summary: string;
}

/** Has the tool ask one service by its own document. */
async function judge(tool: string, folder: string, target: Target): Promise<Judged> {
  const { name, url, seconds, seed, known } = target;
  const report = join(folder, `${name}.txt`);
  const config = join(folder, `${name}.toml`);
  await writeFile(config, configOf(known));
  const args = [
    "--config-file",
    config,
    "run",
    `${url}/v1/openapi.json`,
    "--header",
    `Authorization: Bearer ${operatorToken}`,
    "--checks",
    checks.join(","),
    "--max-time",
    String(seconds),
    "--seed",
    seed,
    // Streams of events have no end: other tests read them.
    "--exclude-path-regex",
    "/events$",
    "--continue-on-failure",
    "--no-color",
    "--warnings",
    "off",
    "--generation-database",
    "none",
    "--request-timeout",
    "60",
    "--report",
    "ndjson",
    "--report-ndjson-path",
    join(folder, `${name}.ndjson`),
  ];
  const child = spawn(tool, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const piece of child.stdout.setEncoding("utf8")) {
    text += piece;
    process.stdout.write(piece as string);
  }
  const exitCode = await new Promise<number>((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    else child.once("exit", (code) => resolve(code ?? 1));
  });
  await writeFile(report, text);
  const [, summary = text.slice(-2_000)] = /=+ SUMMARY =+\n([^]*)$/.exec(text) ?? [];
  // Where the reports of this run are concerns no other machine.
  const lasting = summary.replace(/Reports:\n[^]*?\n\nSeed: \d+\n\n/, "");
  return { name, exitCode, summary: lasting.trim() };
}

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    write: { type: "boolean", default: false },
  },
});

const tool = await installTool();
const folder = join(holdfastFolder(), "http-contract", String(process.pid));
await mkdir(folder, { recursive: true });
await using stack = new AsyncDisposableStack();
const servers = join(folder, "servers");
stack.defer(() => rm(servers, { recursive: true, force: true }));
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const { postgres, broker } = stack.use(
  await startLocalStack({ purpose: "demo", dataFolder: servers, fresh: true, log: say }),
);
const { url: stateStoreUrl } = await createDatabase(postgres.url, { name: "holdfast" });
const system = stack.use(
  await startSystem({
    stateStoreUrl,
    broker: { ...broker, moreAgents: ["badges", "doorbell"] },
    count: { agent: 0, partners: 0, operations: 1 },
    workflows: [welcome.definition],
    env: { submission: { UNKNOWN_AGENTS: "accept" } },
  }),
);
/** Submits a task, so that lists, searches and counts find some. Resolves to its id. */
async function submit(number: number): Promise<string> {
  const answer = await fetch(`${system.submissionUrl}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workflow: "welcome", input: { guest: `g${number}`, seconds: 0 } }),
  });
  return ((await answer.json()) as { readonly id: string }).id;
}
const ids = await Promise.all(Array.from({ length: 20 }, (_, number) => submit(number)));
const known = {
  "path.id": ids[0] ?? "",
  "path.name": welcome.name,
  "path.step": "badge",
  "header.if-match": "*",
};
const { submissionUrl, operationsUrl } = system;
const targets = [
  { name: "submission", url: submissionUrl, share: 0.25 },
  { name: "operations", url: operationsUrl, share: 0.4 },
  { name: "operations-about-what-there-is", url: operationsUrl, share: 0.35, known },
];
const judged: Judged[] = [];
for (const { share, ...target } of targets) {
  const seconds = Math.ceil(Number(options.seconds) * share);
  judged.push(await judge(tool, folder, { ...target, seconds, seed: options.seed }));
}
const isRight = judged.every(({ exitCode }) => exitCode === 0);
if (options.write) await writeFile(page, await reportOf(judged));
say(`reports: ${folder}`);
process.exitCode = isRight ? 0 : 1;

/** The page of evidence: what was asked, when, and what was found. */
async function reportOf(found: readonly Judged[]): Promise<string> {
  const before = existsSync(page) ? await readFile(page, "utf8") : "";
  const [, mended = ""] = /(\n## What it found\n[^]*)$/.exec(before) ?? [];
  const date = new Date().toISOString().slice(0, 10);
  const parts = found.map(({ name, summary }) => `## ${name}\n\n\`\`\`text\n${summary}\n\`\`\`\n`);
  return `# The HTTP API against its document

\`npm run http-contract\` has schemathesis (${schemathesis.split("==")[1]}) make requests of the OpenAPI documents of a running system, valid and invalid ones, and compare each answer with the document: its status, its media type, its headers and its body. An answer of 500 or above is a fault, and so is an invalid request that is accepted. Streams of events are left out: they have no end.

Run on ${date}, for ${options.seconds} s in all (\`--seconds 1800\` for half an hour), with the seed ${options.seed}.

${parts.join("\n")}${mended}`;
}
