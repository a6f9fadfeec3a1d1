import type { WorkflowDefinition } from "@holdfast/domain";
import type { WorkflowRecord } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { workflowDirectory } from "./workflow-directory.ts";

const record = (
  name: string,
  retiredAt: Date | null = null,
  { isActive = retiredAt === null }: { readonly isActive?: boolean } = {},
): WorkflowRecord => ({
  name,
  collections: [],
  createdAt: new Date(0),
  retiredAt,
  retiredBy: null,
  retiredReason: null,
  byOperators: true,
  storedBy: null,
  isActive,
  activatedAt: null,
  activatedBy: null,
  activatedReason: null,
  awaitsAgents: false,
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
      findActiveVersions: async () => new Set(),
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

test("in development a version that is not stored stands for the active one", async () => {
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

test("a name without a version is the active one, whatever its number, and another once the store says so", async () => {
  let active = "stay.v2";
  const versions = ["stay.v1", "stay.v2", "stay.v3"];
  const directory = workflowDirectory({
    findWorkflows: async () =>
      versions.map((name) => record(name, null, { isActive: name === active })),
    findKnownAgents: async () => [],
    findWorkflow: async (name) => ({ definition: definition(name) }) as never,
    findActiveVersions: async ({ names }) => new Set(names.filter((name) => name === active)),
  });
  const find = (asked: string) => directory.find(asked, () => true);
  const second = await find("stay");
  expect(second).toMatchObject({ name: "stay.v2", takesActive: true });
  expect(await directory.isOutdated(second)).toBe(false);
  active = "stay.v1";
  expect(directory.known("stay")?.name).toBe("stay.v2");
  expect(await directory.isOutdated(second)).toBe(true);
  expect(await find("stay")).toMatchObject({ name: "stay.v1", takesActive: true });
  const named = await find("stay.v2");
  expect(named.takesActive).toBe(false);
  expect(await directory.isOutdated(named)).toBe(false);
});

test("while all versions are retired the newest is meant, which the store refuses", async () => {
  const retired = ["stay.v9", "stay.v10"].map((name) => record(name, new Date(0)));
  const directory = workflowDirectory({
    findWorkflows: async () => retired,
    findKnownAgents: async () => [],
    findWorkflow: async (name) => ({ definition: definition(name) }) as never,
    findActiveVersions: async () => new Set(),
  });
  expect((await directory.find("stay", () => true)).name).toBe("stay.v10");
  expect(directory.isRetired("stay.v10")).toBe(true);
});
