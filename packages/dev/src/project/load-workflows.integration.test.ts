import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openWorkflowLoader } from "./load-workflows.ts";

let folder: string;
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
  await using loader = openWorkflowLoader({ folder, cacheFolder: folder, calm: Promise.resolve() });
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
  await using loader = openWorkflowLoader({ folder, cacheFolder: folder, calm: Promise.resolve() });
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
