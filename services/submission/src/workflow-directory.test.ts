import type { WorkflowDefinition } from "@holdfast/domain";
import type { WorkflowRecord } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { workflowDirectory } from "./workflow-directory.ts";

const record = (
  name: string,
  retiredAt: Date | null = null,
  { byOperators = true }: { readonly byOperators?: boolean } = {},
): WorkflowRecord => ({
  name,
  collections: [],
  createdAt: new Date(0),
  retiredAt,
  retiredBy: null,
  retiredReason: null,
  byOperators,
});
const definition = (name: string): WorkflowDefinition => ({
  format: 1,
  name,
  inputSchema: {},
  completeWithin: null,
  output: null,
  steps: [],
});

const stored = [record("stay.v7", new Date(0)), record("stay.v5"), record("trip.v1")];
const directoryWith = (takesUnknownVersions: boolean) =>
  workflowDirectory(
    {
      findWorkflows: async () => stored,
      findKnownAgents: async () => [],
      findWorkflow: async (name) => ({ definition: definition(name) }) as never,
    },
    { takesUnknownVersions },
  );

test("a version that is not stored is refused, with names that look like it", async () => {
  await expect(directoryWith(false).find("stay.v1", () => true)).rejects.toMatchObject({
    status: 404,
    code: "workflow.unknown",
    message: expect.stringContaining("stay"),
  });
});

test("in development a version that is not stored stands for the newest that takes tasks", async () => {
  const directory = directoryWith(true);
  expect((await directory.find("stay.v1", () => true)).name).toBe("stay.v5");
  expect(directory.known("stay.v2")?.name).toBe("stay.v5");
});

test("in development a version that is stored stands for itself, and another name for nothing", async () => {
  const directory = directoryWith(true);
  expect((await directory.find("stay.v7", () => true)).name).toBe("stay.v7");
  await expect(directory.find("stray.v1", () => true)).rejects.toMatchObject({
    code: "workflow.unknown",
  });
});

test("a version that operators stored is meant before a higher one that they did not", async () => {
  const workflows = [
    record("stay.v999999", null, { byOperators: false }),
    record("stay.v2"),
    record("stay.v3", new Date(0)),
  ];
  const directory = workflowDirectory({
    findWorkflows: async () => workflows,
    findKnownAgents: async () => [],
    findWorkflow: async (name) => ({ definition: definition(name) }) as never,
  });
  expect((await directory.find("stay", () => true)).name).toBe("stay.v2");
  expect((await directory.find("stay.v999999", () => true)).name).toBe("stay.v999999");
});
