import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runCommand } from "../../test/run-command.ts";

const before = globalThis.fetch;
const id = "01a1fd8d-d928-77c8-96cb-353aaba1757f";
const env = { HOLDFAST_URL: "http://holdfast.test", HOLDFAST_TOKEN: "token" };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-dry-"));
});
afterEach(() => {
  globalThis.fetch = before;
  rmSync(folder, { recursive: true });
});

/**
 * Runs a command against a service that answers so; 404 where it says null. It must change nothing.
 */
async function dry(line: readonly string[], answer: object | null) {
  globalThis.fetch = async (_, init) => {
    expect(init?.method ?? "GET").toBe("GET");
    const problem = { status: 404, code: "task.unknown", detail: "There is no such task." };
    return new Response(JSON.stringify(answer ?? problem), {
      status: answer === null ? 404 : 200,
      headers: {
        "content-type": answer === null ? "application/problem+json" : "application/json",
      },
    });
  };
  const { exitCode, stdout } = await runCommand([...line, "--dry-run"], env);
  return { exitCode, stdout };
}

const task = { id, state: "processing", version: 3, paused: null, steps: [] };
const failed = [{ name: "hotel", processState: "error" }];
const why = ["--reason", "a test"];

test.each<[string, readonly string[], object | null, number]>([
  ["cancels a task", ["tasks", "cancel", id, ...why], task, 0],
  [
    "cancels no task that has ended",
    ["tasks", "cancel", id, ...why],
    { ...task, state: "undone" },
    5,
  ],
  ["cancels no task that is unknown", ["tasks", "cancel", id, ...why], null, 3],
  ["pauses no paused task", ["tasks", "pause", id, ...why], { ...task, paused: { by: "x" } }, 5],
  ["resumes no task that is not paused", ["tasks", "resume", id, ...why], task, 5],
  ["resubmits a failed step", ["tasks", "resubmit", id, ...why], { ...task, steps: failed }, 0],
  ["resubmits nothing where no step failed", ["tasks", "resubmit", id, ...why], task, 5],
  [
    "resolves no other step than failed ones",
    ["tasks", "resolve", id, "--step", "flight", ...why],
    { ...task, steps: failed },
    5,
  ],
  [
    "retires a workflow",
    ["workflows", "retire", "stay.v1", ...why],
    { retired: null, count: 0 },
    0,
  ],
  [
    "retires no retired one",
    ["workflows", "retire", "stay.v1", ...why],
    { retired: { by: "x" } },
    5,
  ],
  [
    "reinstates none that is in use",
    ["workflows", "reinstate", "stay.v1", ...why],
    { retired: null },
    5,
  ],
  [
    "activates none whose Agents are unknown",
    ["workflows", "activate", "stay.v1", ...why],
    { active: null, retired: null, waitsFor: ["the Agent hotels is not known"] },
    5,
  ],
  [
    "activates it where that is allowed",
    ["workflows", "activate", "stay.v1", ...why, "--allow-unknown-agents"],
    { active: null, retired: null, waitsFor: ["the Agent hotels is not known"] },
    0,
  ],
  [
    "holds no service that is unknown",
    ["remotes", "hold", "bank", ...why],
    { items: [], next: null },
    3,
  ],
])(
  "a dry run %s, with the exit code that the change would have",
  async (_, line, answer, exitCode) => {
    expect(await dry(line, answer)).toMatchObject({ exitCode });
  },
);

const step = {
  name: "a",
  agent: "mail",
  operation: "send",
  input: { $ref: "/input" },
  after: [],
  onlyIf: null,
  undo: null,
  startWithin: 30_000,
  completeWithin: 10_000,
  retry: { failures: 3, backoff: 1000, max: 60_000 },
  coolDown: null,
  onFailure: "undo",
};
const definition = {
  format: 1,
  name: "t.v1",
  inputSchema: { type: "object" },
  completeWithin: null,
  output: null,
  steps: [step],
};

test.each<[string, object, object | null, number, string]>([
  ["new", definition, null, 0, "new"],
  ["the same", definition, { definition, retired: null }, 0, "same"],
  [
    "the same, and retired",
    definition,
    { definition, retired: { by: "operator:ann" } },
    0,
    "is retired, and takes no new tasks: holdfast workflows reinstate t.v1",
  ],
  [
    "changed under its name",
    definition,
    { definition: { ...definition, output: 1 }, retired: null },
    5,
    "changed",
  ],
  ["no definition", { ...definition, steps: [{ name: "a" }] }, null, 5, "invalid"],
])(
  "a dry run of a workflow that is %s ends as storing it would",
  async (_, given, stored, exitCode, word) => {
    const file = join(folder, "t.json");
    writeFileSync(file, JSON.stringify(given));
    const found = await dry(["workflows", "apply", file], stored);
    expect(found).toEqual({ exitCode, stdout: expect.stringContaining(word) });
  },
);

test("a pattern that the shell has left as it is names the files that fit it, and must fit one", async () => {
  writeFileSync(join(folder, "a.json"), JSON.stringify({ ...definition, name: "a.v1" }));
  writeFileSync(join(folder, "b.json"), JSON.stringify({ ...definition, name: "b.v1" }));
  const { stdout } = await dry(["workflows", "apply", join(folder, "*.json")], null);
  expect(stdout).toMatch(/a\.v1 +new[^]*b\.v1 +new/);
  expect(await dry(["workflows", "apply", join(folder, "*.yaml")], null)).toMatchObject({
    exitCode: 2,
  });
});
