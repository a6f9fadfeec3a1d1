import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { holdfastCommand } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Runs the command in a process of its own, as a user does. */
function holdfast(args: readonly string[], cwd: string) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string; err: string }>();
  execFile(process.execPath, [...holdfastCommand, ...args], { cwd }, (error, out, err) =>
    resolve({ code: Number(error?.code ?? 0), out, err }),
  );
  return promise;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-cases-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = async (file: string, json: unknown): Promise<void> => {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), typeof json === "string" ? json : JSON.stringify(json));
};

const policy = {
  startWithin: 1_000,
  completeWithin: 1_000,
  retry: { failures: 2, backoff: 100, max: 100 },
  coolDown: null,
};
const definition = (name: string) => ({
  format: 1,
  name,
  inputSchema: { type: "object" },
  completeWithin: null,
  output: null,
  steps: [
    {
      ...policy,
      name: "a",
      agent: "mail",
      operation: "send",
      input: null,
      after: [],
      onlyIf: null,
      undo: null,
      onFailure: "undo",
    },
  ],
});
const sent = {
  name: "a mail is sent",
  workflow: "greet",
  input: {},
  expect: { state: "processed" },
};

test("the cases of the shop pass, and take most of its paths and undo paths", async () => {
  const cases = join(root, "examples/orders/cases");
  const { code, out } = await holdfast(["test", join(cases, "*.json"), "--json"], root);
  const report = JSON.parse(out) as {
    readonly passed: boolean;
    readonly cases: readonly { readonly outcome: string; readonly file: string }[];
    readonly coverage: readonly {
      readonly paths: { all: number; taken: number };
      readonly undoPaths: { all: number; taken: number };
    }[];
  };
  expect(report.cases.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  expect(report.cases).toHaveLength((await readdir(cases)).length);
  const [shop] = report.coverage;
  expect(shop?.paths.taken).toBeGreaterThanOrEqual(8);
  expect(shop?.undoPaths.taken).toBeGreaterThanOrEqual(8);
  expect(code).toBe(0);
});

test("cases are found beside workflows, and what fails is shown with what was expected", async () => {
  await write("workflows/greet.json", definition("greet.v2"));
  await write("workflows/old.json", definition("greet.v1"));
  await write("cases/sent.json", sent);
  await write("cases/wrong.json", {
    ...sent,
    name: "a mail is not sent",
    expect: { state: "halted" },
  });
  const { code, out } = await holdfast(["test"], folder);
  expect(out).toMatch(/^ok {4}cases\/sent\.json {2}a mail is sent \(\d+ ms\)$/m);
  expect(out).toMatch(/^FAIL {2}cases\/wrong\.json/m);
  expect(out).toContain('state: expected "halted", was "processed"');
  expect(out).toContain("greet.v2: 1 of 2 paths, 0 of 1 undo paths");
  expect(out).toContain("    a fails and the task is undone");
  expect(out).toContain("2 cases, 1 passed, 1 failed");
  expect(code).toBe(1);
});

test.each([
  ["is no JSON", '{\n"name": "x",\n}', /cases\/x\.json:3: this is not JSON/],
  [
    "names an unknown workflow",
    { ...sent, workflow: "greeting" },
    /No file of workflows.* has the workflow greeting: there are greet\.v2/,
  ],
  [
    "names a file that there is not",
    { ...sent, workflow: "../nowhere.ts" },
    /nowhere\.ts: there is no such file/,
  ],
  ["has an unknown field", { ...sent, given: 1 }, /\/given is not known here; allowed are/],
  [
    "has an unknown step",
    { ...sent, steps: { b: [] } },
    /\/steps\/b greet\.v2 has no step b; it has a/,
  ],
])("a file that %s ends with exit code 2, its name and no stack", async (_, json, message) => {
  await write("workflows/greet.json", definition("greet.v2"));
  await write("cases/x.json", json);
  const { code, out, err } = await holdfast(["test"], folder);
  expect(out).toContain("ERROR cases/x.json");
  expect(out).toMatch(message);
  expect(`${out}${err}`).not.toMatch(/^\s+at /m);
  expect(code).toBe(2);
});

test("a workflow whose function decides for all tasks at once is named with its line, and runs no case", async () => {
  const [workflow, zod] = ["@holdfast/workflow", "zod"].map((name) => import.meta.resolve(name));
  await write(
    "workflows/greet.ts",
    `import { defineAgent, defineWorkflow } from "${workflow}";
     import { z } from "${zod}";
     const mail = defineAgent("mail", { send: { input: z.object({}), output: z.object({}) } });
     const Guest = z.object({ isNew: z.boolean() });
     export const greet = defineWorkflow("greet.v1", Guest, (guest, step) => {
       if (guest.isNew) step("welcome", { call: mail.send({}), completeWithin: "1s" });
       step("news", { call: mail.send({}), completeWithin: "1s" });
     });`,
  );
  await write("cases/sent.json", sent);
  const { code, out, err } = await holdfast(["test"], folder);
  expect(out).toMatch(/greet\.v1, line 2 of its function, `guest\.isNew`: is decided here/);
  expect(`${out}${err}`).not.toMatch(/^\s+at /m);
  expect(code).toBe(2);
});

test("a workflow that cannot be JSON fails its own cases, and those of others in its file run", async () => {
  const [workflow, zod] = ["@holdfast/workflow", "zod"].map((name) => import.meta.resolve(name));
  await write(
    "workflows/greet.ts",
    `import { defineAgent, defineWorkflow } from "${workflow}";
     import { z } from "${zod}";
     const mail = defineAgent("mail", { send: { input: z.object({}), output: z.object({}) } });
     const plan = (_, step) => void step("a", { call: mail.send({}), completeWithin: "1s" });
     export const dated = defineWorkflow("dated.v1", z.object({ when: z.date() }), plan);
     export const greet = defineWorkflow("greet.v1", z.object({}), plan);`,
  );
  await write("cases/sent.json", sent);
  expect(await holdfast(["test"], folder)).toMatchObject({ code: 0 });
  await write("cases/dated.json", { ...sent, workflow: "dated" });
  const { code, out } = await holdfast(["test"], folder);
  expect(out).toMatch(/workflows\/greet\.ts:5: dated\.v1, input\/when: a Date cannot be JSON/);
  expect(code).toBe(2);
});

test("an Agent that is refused fails the cases of workflows that call it, and those of others run", async () => {
  const [workflow, zod] = ["@holdfast/workflow", "zod"].map((name) => import.meta.resolve(name));
  await write(
    "workflows/greet.ts",
    `import { defineAgent, defineWorkflow } from "${workflow}";
     import { z } from "${zod}";
     const nothing = z.object({});
     const mail = defineAgent("mail", { send: { input: nothing, output: nothing } });
     const diary = defineAgent("diary", { note: { input: z.object({ at: z.date() }), output: nothing } });
     export const noted = defineWorkflow("noted.v1", nothing, (_, step) =>
       void step("a", { call: diary.note({}), completeWithin: "1s" }));
     export const greet = defineWorkflow("greet.v1", nothing, (_, step) =>
       void step("a", { call: mail.send({}), completeWithin: "1s" }));`,
  );
  await write("cases/sent.json", { ...sent, workflow: "../workflows/greet.ts#greet.v1" });
  expect(await holdfast(["test"], folder)).toMatchObject({ code: 0 });
  await write("cases/noted.json", { ...sent, workflow: "noted" });
  const { code, out } = await holdfast(["test"], folder);
  expect(out).toMatch(
    /workflows\/greet\.ts:6: noted\.v1, step "a": the Agent diary is refused: Agent diary: operation "note", input\/at: a Date/,
  );
  expect(code).toBe(2);
});

test("a folder without cases ends with exit code 3, and a wrong option with 2", async () => {
  expect(await holdfast(["test"], folder)).toMatchObject({
    code: 3,
    out: "",
    err: expect.stringContaining("There is no case"),
  });
  expect(await holdfast(["test", "--cases"], folder)).toMatchObject({ code: 2, out: "" });
});
