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
      error: {
        place: expect.stringContaining("wrong.ts"),
        message: expect.stringContaining("is decided here"),
      },
    },
  ]);
});
