import { TransientFault, type WorkflowDefinition } from "@holdfast/domain";
import type { WorkflowRecord } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { virtualClock } from "../test/virtual-clock.ts";
import { toProblem } from "./problem.ts";
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
type Options = NonNullable<Parameters<typeof workflowDirectory>[1]>;

const directoryWith = (takesUnknownVersions: boolean, options: Options = {}) =>
  workflowDirectory(
    {
      findWorkflows: async () => stored,
      findKnownAgents: async () => [],
      findWorkflow: async (name) => ({ definition: definition(name) }) as never,
      findActiveVersions: async () => new Set(),
    },
    { ...options, takesUnknownVersions },
  );

test("a version that is not stored is refused, with names that look like it", async () => {
  await expect(directoryWith(false).find("stay.v1", () => true)).rejects.toMatchObject({
    status: 404,
    code: "workflow.unknown",
    message: expect.stringContaining("stay"),
  });
});

test("a check that was not begun in time is asked for again, and any other failure is the workflow's", async () => {
  const busy = new TransientFault("request.overload", "full");
  const answers = [busy, new Error("broken"), []];
  const compile = () => async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer ?? [];
  };
  const { check } = await directoryWith(false, { compile }).find("trip.v1", () => true);
  await expect(check({})).rejects.toBe(busy);
  expect(toProblem(busy)).toMatchObject({ status: 503, code: "request.overload" });
  await expect(check({})).rejects.toMatchObject({ status: 500, code: "workflow.unusable" });
  expect(await check({})).toEqual([]);
});

test("a step of a pool waits for no Agent once one of its Agents has announced itself", async () => {
  const knownFor = 24 * 60 * 60 * 1_000;
  const directoryKnowing = (...agents: readonly string[]) =>
    workflowDirectory({
      findWorkflows: async () => stored,
      findKnownAgents: async () =>
        agents.map((agent) => ({ agent, knownFor, operations: null, isSilent: false })),
      findWorkflow: async (name) => ({ definition: definition(name) }) as never,
      findActiveVersions: async () => new Set(),
    });
  const steps = [
    { agent: "psp", agents: ["psp", "psp-eu"] },
    { agent: "mail" },
  ] as unknown as WorkflowDefinition["steps"];
  const unknownOf = (...agents: readonly string[]) =>
    directoryKnowing(...agents).unknownAgents({ ...definition("trip.v1"), steps });
  expect(await unknownOf("psp-eu", "mail")).toEqual([]);
  expect(await unknownOf("psp", "mail")).toEqual([]);
  expect(await unknownOf("mail")).toEqual(["psp", "psp-eu"]);
  expect(await unknownOf("psp")).toEqual(["mail"]);
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

describe("the directory has the time of its clock alone", () => {
  const directoryAt = () => {
    const clock = virtualClock();
    const reads: number[] = [];
    let isAway = false;
    const directory = workflowDirectory(
      {
        findWorkflows: async () => {
          reads.push(clock.now());
          if (isAway) throw new Error("away");
          return stored;
        },
        findKnownAgents: async () => [],
        findWorkflow: async (name) => ({ definition: definition(name) }) as never,
        findActiveVersions: async ({ names }) => new Set(names),
      },
      { clock },
    );
    return { clock, reads, directory, goAway: () => void (isAway = true) };
  };
  const find = (directory: ReturnType<typeof directoryAt>["directory"], asked: string) =>
    directory.find(asked, () => true);

  test("what is not stored is looked for a moment after the last look, and not before", async () => {
    const { clock, reads, directory } = directoryAt();
    await find(directory, "stay");
    const missed = expect(find(directory, "gone")).rejects.toMatchObject({
      code: "workflow.unknown",
    });
    await clock.pass(99);
    expect(reads).toEqual([0]);
    await clock.pass(1);
    expect(reads).toEqual([0, 100]);
    await missed;
  });

  test("what was read is used for half a minute, and read anew in the background after a second", async () => {
    const { clock, reads, directory, goAway } = directoryAt();
    await find(directory, "stay");
    await clock.pass(1_000);
    expect(directory.known("stay")?.name).toBe("stay.v5");
    expect(reads).toEqual([0]);
    goAway();
    await clock.pass(29_000);
    expect(directory.known("stay")?.name).toBe("stay.v5");
    expect(reads).toEqual([0, 30_000]);
    await clock.pass(1);
    expect(directory.known("stay")).toBeUndefined();
    await expect(find(directory, "stay")).rejects.toThrow("away");
  });

  test("the question whether a version is active begins when the clock says so", async () => {
    const { clock, directory } = directoryAt();
    const answers: boolean[] = [];
    const workflow = await find(directory, "stay");
    void directory.isOutdated(workflow).then((isOutdated) => answers.push(isOutdated));
    await new Promise(setImmediate);
    expect(answers).toEqual([]);
    await clock.pass(0);
    expect(answers).toEqual([false]);
  });
});
