import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openWorkflowLoader } from "./load-workflows.ts";

let folder: string;
const openLoader = (more: Partial<Parameters<typeof openWorkflowLoader>[0]> = {}) =>
  openWorkflowLoader({
    folder,
    cacheFolder: folder,
    calm: Promise.resolve(),
    say: () => {},
    ...more,
  });
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-load-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a workflow whose function decides for all tasks at once is not loaded, and those of other files are", async () => {
  const [workflow, zod] = ["@holdfast/workflow", "zod"].map((name) => import.meta.resolve(name));
  const source = (plan: string) => `
    import { defineAgent, defineWorkflow } from "${workflow}";
    import { z } from "${zod}";
    const mail = defineAgent("mail", { send: { input: z.object({}), output: z.object({}) } });
    const send = { call: mail.send({}), completeWithin: "1s" };
    export const greet = defineWorkflow("greet.v1", z.object({ isNew: z.boolean() }), (guest, step) => ${plan});`;
  const [right, wrong] = [join(folder, "right.ts"), join(folder, "wrong.ts")];
  writeFileSync(right, source(`step("a", { ...send, onlyIf: guest.isNew })`));
  writeFileSync(wrong, source(`step("a", send) && guest.isNew ? 1 : 2`));
  await using loader = openLoader();
  const loaded = await loader.load([right, wrong]);
  expect(loaded).toMatchObject([
    { file: right, definitions: [{ name: "greet.v1" }] },
    {
      file: wrong,
      definitions: [],
      refused: [
        {
          name: "greet.v1",
          error: {
            place: expect.stringContaining("wrong.ts"),
            message: expect.stringContaining("is decided here"),
          },
        },
      ],
    },
  ]);
});

test("a workflow that cannot be JSON is refused with its name and line, and the others of its file are loaded", async () => {
  const [workflow, zod] = ["@holdfast/workflow", "zod"].map((name) => import.meta.resolve(name));
  const file = join(folder, "mixed.ts");
  writeFileSync(
    file,
    `import { defineAgent, defineWorkflow } from "${workflow}";
import { z } from "${zod}";
const mail = defineAgent("mail", { send: { input: z.object({}), output: z.object({}) } });
const plan = (input, step) => step("a", { call: mail.send({}), completeWithin: "1s" });
export const before = defineWorkflow("before.v1", z.object({}), plan);
export const dated = defineWorkflow("dated.v1", z.object({ when: z.date() }), plan);
export const thrown = defineWorkflow("thrown.v1", z.object({}), () => missing);
export const after = defineWorkflow("after.v1", z.object({}), plan);`,
  );
  await using loader = openLoader();
  const [loaded] = await loader.load([file]);
  expect(loaded).toMatchObject({
    definitions: [{ name: "after.v1" }, { name: "before.v1" }],
    refused: [
      {
        name: "dated.v1",
        error: {
          place: "mixed.ts:6",
          message: "dated.v1, input/when: a Date cannot be JSON: use z.iso.datetime()",
        },
      },
      {
        name: "thrown.v1",
        error: { place: "mixed.ts:7", message: "missing is not defined" },
      },
    ],
  });
  expect(loader.seen).toContain(file);
});

test("an Agent whose contract is refused is named with its line, and takes no workflow with it but those that call it", async () => {
  const [workflow, zod] = ["@holdfast/workflow", "zod"].map((name) => import.meta.resolve(name));
  const [contracts, file] = [join(folder, "contracts.ts"), join(folder, "called.ts")];
  writeFileSync(
    contracts,
    `import { defineAgent } from "${workflow}";
import { z } from "${zod}";
const good = { input: z.object({}), output: z.object({}) };
export const mail = defineAgent("mail", { send: good });
export const diary = defineAgent("diary", {
  note: { ...good, input: z.object({ when: z.date() }) },
});`,
  );
  writeFileSync(
    file,
    `import { defineWorkflow } from "${workflow}";
import { z } from "${zod}";
import { diary, mail } from "./contracts.ts";
const note = { call: diary.note({}), completeWithin: "1s" };
export const greet = defineWorkflow("greet.v1", z.object({}), (input, step) => {
  step("send", { call: mail.send({}), completeWithin: "1s" });
});
export const noted = defineWorkflow("noted.v1", z.object({}), (input, step) => {
  step("note", note);
});`,
  );
  await using loader = openLoader();
  const [loaded] = await loader.load([file]);
  const why =
    'Agent diary: operation "note", input/when: a Date cannot be JSON: use z.iso.datetime()';
  expect(loaded).toMatchObject({
    definitions: [{ name: "greet.v1" }],
    refused: [
      { kind: "Agent", name: "diary", error: { place: "contracts.ts:5", message: why } },
      {
        kind: "workflow",
        name: "noted.v1",
        error: {
          place: "called.ts:8",
          message: `noted.v1, step "note": the Agent diary is refused: ${why}`,
        },
      },
    ],
  });
});

test("an Agent without a handler is named with its line, and takes no workflow with it, not even one that calls it", async () => {
  const [agent, workflow, zod] = ["@holdfast/agent", "@holdfast/workflow", "zod"].map((name) =>
    import.meta.resolve(name),
  );
  const file = join(folder, "hosted.ts");
  writeFileSync(
    file,
    `import { host } from "${agent}";
import { defineAgent, defineWorkflow } from "${workflow}";
import { z } from "${zod}";
const any = { input: z.object({}), output: z.object({}) };
const mail = defineAgent("mail", { send: { ...any, undo: "recall" }, read: any });
export const post = host(
  mail, { read: async () => ({}) });
const none = host(defineAgent("none", { do: any }));
export const greet = defineWorkflow("greet.v1", z.object({}), (input, step) => {
  step("send", { call: mail.send({}), completeWithin: "1s" });
});`,
  );
  await using loader = openLoader();
  const [loaded] = await loader.load([file]);
  expect(loaded).toMatchObject({
    definitions: [{ name: "greet.v1" }],
    refused: [
      {
        kind: "Agent",
        name: "mail",
        error: {
          place: "hosted.ts:6",
          message: "Agent mail: no handler is given for send, recall: add functions of these names",
        },
      },
      {
        kind: "Agent",
        name: "none",
        error: {
          place: "hosted.ts:8",
          message: "Agent none: no handler is given for do: add a function of that name",
        },
      },
    ],
  });
});

test("a file that waits for something at its top level is named, and the files after it are loaded", async () => {
  const [waiting, right] = [join(folder, "waiting.ts"), join(folder, "settled.ts")];
  writeFileSync(waiting, "await new Promise((resolve) => setTimeout(resolve, 600_000));\n");
  writeFileSync(right, "export const nothing = null;\n");
  await using loader = openLoader();
  expect(await loader.load([waiting, right])).toEqual([
    {
      file: waiting,
      error: {
        place: "waiting.ts",
        message: expect.stringMatching(/^it waits for something at its top level/),
      },
    },
    { file: right, definitions: [], schedules: [], refused: [] },
  ]);
}, 120_000);

test("a load that never ends is said to be late, and ends with the next save", async () => {
  const file = join(folder, "endless.ts");
  writeFileSync(file, "for (;;);\n");
  const { promise: said, resolve: say } = Promise.withResolvers<string>();
  await using loader = openLoader({ say, lateAfter: 200 });
  const loading = loader.load([file]);
  expect(await said).toBe("Workflows are still being loaded after 0.2 s. A save begins anew.");
  loader.endLate();
  expect(await loading).toEqual([
    { file, error: { place: file, message: "its process ended before it was loaded" } },
  ]);
}, 120_000);
