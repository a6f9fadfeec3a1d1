import { queryOnce } from "@holdfast/local-stack";
import { testDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { newTask, openTestStores, testWorkflow } from "../../test/fixtures.ts";
import { migrate } from "../migrate/migrate.ts";
import type { StateStore } from "../roles.ts";

let stores: Awaited<ReturnType<typeof openTestStores>>;
let operations: StateStore;
beforeAll(async () => {
  stores = await openTestStores();
  ({ operations } = stores);
});
afterAll(async () => {
  await stores.db[Symbol.asyncDispose]();
});
beforeEach(() => stores.db.query("truncate state.workflows, state.collections, state.remotes"));

const store = (name: string, options: { readonly activates?: boolean } = {}) =>
  operations.registerWorkflow(testWorkflow([{ name: "a" }], name), options);
const ann = { actor: "ann", reason: "a test" };
const activate = (name: string) => operations.activateWorkflow({ name, ...ann, asAwaited: false });
const activateAwaited = (name: string) =>
  operations.activateWorkflow({ name, ...ann, asAwaited: true });
const active = async () =>
  (await operations.findWorkflows())
    .filter(({ isActive }) => isActive)
    .map(({ name }) => name)
    .toSorted();
const awaiting = async () => (await operations.findAwaitingWorkflows()).map(({ name }) => name);

describe("which version is active", () => {
  test("the first version that is stored is active at once, and a newer one awaits its Agents", async () => {
    await store("trip.v1");
    expect([await active(), await awaiting()]).toEqual([["trip.v1"], []]);
    await store("trip.v2");
    expect([await active(), await awaiting()]).toEqual([["trip.v1"], ["trip.v2"]]);
    expect(await activateAwaited("trip.v2")).toBe(true);
    expect([await active(), await awaiting()]).toEqual([["trip.v2"], []]);
    expect(await activateAwaited("trip.v2")).toBe(false);
  });

  test("a version that is older than the active one, or is only to be stored, awaits nothing", async () => {
    await store("trip.v5");
    await store("trip.v4");
    await store("trip.v6", { activates: false });
    await store("trip.v5");
    expect([await active(), await awaiting()]).toEqual([["trip.v5"], []]);
  });

  test("what a person activates stays active, whatever awaited Agents and is stored again", async () => {
    await store("trip.v1");
    await store("trip.v2");
    await activateAwaited("trip.v2");
    await store("trip.v3");
    expect(await activate("trip.v1")).toBe(true);
    for (const name of ["trip.v1", "trip.v2", "trip.v3"]) {
      await store(name);
      expect(await activateAwaited(name)).toBe(false);
    }
    expect([await active(), await awaiting()]).toEqual([["trip.v1"], []]);
  });

  test("a newer version whose Agents come first is not replaced by an older one that waited", async () => {
    for (const name of ["trip.v1", "trip.v2", "trip.v3"]) await store(name);
    expect(await activateAwaited("trip.v3")).toBe(true);
    expect(await activateAwaited("trip.v2")).toBe(false);
    expect([await active(), await awaiting()]).toEqual([["trip.v3"], []]);
  });

  test("when the active version is retired the one that was active before is, and no name is left without one", async () => {
    for (const name of ["trip.v1", "trip.v2", "trip.v3"]) await store(name);
    await activate("trip.v2");
    await operations.retireWorkflow({ name: "trip.v2", ...ann });
    expect(await active()).toEqual(["trip.v1"]);
    await operations.retireWorkflow({ name: "trip.v1", ...ann });
    expect(await active()).toEqual(["trip.v3"]);
    const [record] = await operations.findWorkflows();
    expect(record).toMatchObject({
      activatedBy: "ann",
      activatedReason: "trip.v1 was retired: a test",
    });
    await operations.retireWorkflow({ name: "trip.v3", ...ann });
    expect(await active()).toEqual([]);
    await operations.reinstateWorkflow({ name: "trip.v1" });
    expect(await active()).toEqual(["trip.v1"]);
  });

  test("a retired version that is activated takes tasks again: a roll-back is one act", async () => {
    await store("trip.v1");
    await store("trip.v2");
    await activate("trip.v2");
    await operations.retireWorkflow({ name: "trip.v1", ...ann });
    await activate("trip.v1");
    const records = await operations.findWorkflows();
    expect(records.find(({ name }) => name === "trip.v1")).toMatchObject({
      isActive: true,
      retiredAt: null,
      activatedBy: "ann",
      activatedReason: "a test",
    });
  });

  test("many that store, activate and retire versions of a workflow at once leave one active, unless all are retired", async () => {
    const names = Array.from({ length: 6 }, (_, index) => `trip.v${index + 1}`);
    await Promise.all(names.map((name) => store(name)));
    expect(await active()).toHaveLength(1);
    const acts = names.flatMap((name) => [
      activate(name),
      operations.retireWorkflow({ name, ...ann }),
      operations.reinstateWorkflow({ name }),
    ]);
    await Promise.all(acts);
    const taking = (await operations.findWorkflows()).filter(({ retiredAt }) => retiredAt === null);
    expect(await active()).toHaveLength(Math.min(1, taking.length));
  });

  test("the login of submission activates nothing, and what it stored first gives way to what operators store", async () => {
    await stores.submission.registerWorkflow(testWorkflow([{ name: "a" }], "trip.v9"));
    expect(await active()).toEqual(["trip.v9"]);
    await expect(
      stores.submission.activateWorkflow({ name: "trip.v9", ...ann, asAwaited: false }),
    ).rejects.toMatchObject({ code: "store.failed" });
    await store("trip.v1");
    expect([await active(), await awaiting()]).toEqual([["trip.v1"], []]);
  });

  test("what submission stored and operators store as well awaits Agents like any other version", async () => {
    await stores.submission.registerWorkflow(testWorkflow([{ name: "a" }], "trip.v1"));
    await store("trip.v1");
    await store("trip.v2");
    expect([await active(), await awaiting()]).toEqual([["trip.v1"], ["trip.v2"]]);
  });
});

test("a task that asks for no version is written in the active one alone, by the store at that time", async () => {
  await store("trip.v1");
  await store("trip.v2");
  const { submission } = stores;
  const task = { ...newTask({ workflow: "trip.v1" }), takesActive: true };
  const submit = async () => (await submission.submitTasks([task], { actor: "test" }))[0]?.kind;
  expect(await submit()).toBe("created");
  await activate("trip.v2");
  expect(await submit()).toBe("outdated");
  await operations.retireWorkflow({ name: "trip.v1", ...ann });
  expect(await submit()).toBe("outdated");
  const named = [{ ...task, takesActive: false }];
  expect(await submission.submitTasks(named, { actor: "test" })).toEqual([{ kind: "retired" }]);
  expect(await submission.findActiveVersions({ names: ["trip.v1", "trip.v2"] })).toEqual(
    new Set(["trip.v2"]),
  );
});

test("the migration writes down what each name meant before", async () => {
  await using old = await testDatabase();
  await migrate(old.url, { upTo: "0008_reply_paths" });
  const insert = (name: string, more: string) =>
    queryOnce(
      old.url,
      `insert into state.workflows (name, content_hash, format, definition, retired_at, by_operators)
       values ('${name}', 'x', 1, '{}', ${more})`,
    );
  await insert("trip.v2", "null, true");
  await insert("trip.v10", "null, true");
  await insert("trip.v11", "now(), true");
  await insert("trip.v999999", "null, false");
  await insert("gone.v1", "now(), true");
  await insert("alone", "null, false");
  await migrate(old.url);
  const rows = await queryOnce<{ name: string; activated_by: string }>(
    old.url,
    "select name, activated_by from state.workflows where is_active order by name",
  );
  expect(rows).toEqual([
    { name: "alone", activated_by: "holdfast migrate" },
    { name: "trip.v10", activated_by: "holdfast migrate" },
  ]);
});
