import type { WorkflowDefinition } from "@holdfast/domain";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openVersions, storeVersion } from "./apply-workflows.ts";

const definitionOf = (changes: Partial<WorkflowDefinition> = {}): WorkflowDefinition => ({
  format: 1,
  name: "welcome.v1",
  inputSchema: {},
  completeWithin: null,
  output: null,
  steps: [
    {
      name: "send",
      agent: "mail",
      operation: "send",
      input: null,
      after: [],
      onlyIf: null,
      startWithin: 1_000,
      completeWithin: 1_000,
      retry: { failures: 1, backoff: 1, max: 1 },
      coolDown: null,
      onFailure: "undo",
      undo: null,
    },
  ],
  ...changes,
});

const storedBy = "holdfast dev of this folder";

let store: StateStore;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const { url } = stack.use(await migratedDatabase());
  store = stack.use(await openStateStore({ url, applicationName: "test", maxConnections: 2 }));
});
afterEach(() => stack.disposeAsync());

const save = async (definition: WorkflowDefinition): Promise<string> => {
  const name = await storeVersion(store, definition, storedBy);
  await openVersions(store, { names: [name], storedBy });
  return name;
};
const openNames = async () =>
  (await store.findWorkflows())
    .filter(({ retiredAt }) => retiredAt === null)
    .map(({ name }) => name);

test("only the version that was saved last takes new tasks, also when it is that of an earlier save", async () => {
  const first = await save(definitionOf());
  const second = await save(definitionOf({ completeWithin: 60_000 }));
  expect(second).not.toBe(first);
  expect(await openNames()).toEqual([second]);
  expect(await save(definitionOf())).toBe(first);
  expect(await openNames()).toEqual([first]);
  expect(await store.findWorkflows()).toHaveLength(2);
});

test("the version that was saved last is what its name means", async () => {
  const active = async () =>
    (await store.findWorkflows()).filter(({ isActive }) => isActive).map(({ name }) => name);
  for (const completeWithin of [60_000, 50_000, 60_000]) {
    const name = await save(definitionOf({ completeWithin }));
    expect(await active()).toEqual([name]);
  }
});

test("a number that another content has is passed over", async () => {
  const name = await storeVersion(store, definitionOf(), storedBy);
  const [prefix, version] = name.split(".v");
  const taken = definitionOf({ name: `other.v${version}`, completeWithin: 5_000 });
  await store.registerWorkflow(taken);
  const sameFamily = await storeVersion(store, { ...definitionOf(), name: "other.v1" }, storedBy);
  expect(prefix).toBe("welcome");
  expect(sameFamily).toBe(`other.v${(Number(version) % 999_999) + 1}`);
});

test("a workflow whose file is gone takes no new tasks", async () => {
  await save(definitionOf());
  await openVersions(store, { names: [], storedBy });
  expect(await openNames()).toEqual([]);
});

test("a workflow that the project did not store itself takes tasks as before", async () => {
  await store.registerWorkflow(definitionOf({ name: "payroll.v1" }), { storedBy: "ann" });
  await store.registerWorkflow(definitionOf({ name: "payroll.v2" }));
  await storeVersion(store, definitionOf({ name: "theirs.v1" }), "holdfast dev of another folder");
  const theirs = (await openNames()).toSorted();
  expect(theirs).toHaveLength(3);
  const mine = await save(definitionOf());
  await openVersions(store, { names: [], storedBy });
  expect((await openNames()).toSorted()).toEqual(theirs);
  expect(theirs).not.toContain(mine);
});
