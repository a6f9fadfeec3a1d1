import type { WorkflowDefinition } from "@holdfast/domain";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import type { DefinedSchedule } from "@holdfast/workflow/check";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { LoadedFile } from "./loader.ts";
import { openScheduleSync, type ScheduleSync } from "./sync-schedules.ts";

const storedBy = "holdfast dev of this folder";
const settle: WorkflowDefinition = {
  format: 3,
  name: "settle.v1",
  inputSchema: {},
  completeWithin: null,
  output: null,
  steps: [{ kind: "wait", name: "rest", after: [], onlyIf: null, onFailure: "undo", for: 1 }],
};

let store: StateStore;
let stack: AsyncDisposableStack;
let said: string[];
let sync: ScheduleSync;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const { url } = stack.use(await migratedDatabase());
  store = stack.use(await openStateStore({ url, applicationName: "test", maxConnections: 2 }));
  await store.registerWorkflow(settle);
  said = [];
  sync = openScheduleSync({ store, folder: "/project", storedBy, say: (line) => said.push(line) });
});
afterEach(() => stack.disposeAsync());

const nightly = (id: string, changes: Partial<DefinedSchedule["definition"]> = {}) => ({
  id,
  definition: { workflow: "settle", cron: "30 2 * * *", zone: "UTC", input: {}, ...changes },
});
const fileOf = (
  name: string,
  schedules: readonly DefinedSchedule[],
  refused: readonly string[] = [],
): LoadedFile => {
  const error = { place: `${name}:3`, message: "zone must be the IANA name of a time zone." };
  return {
    file: `/project/workflows/${name}`,
    definitions: [],
    schedules,
    refused: refused.map((id) => ({ kind: "schedule" as const, name: id, error })),
  };
};
const stored = async () => {
  const { items } = await store.findSchedules({ id: null, after: null, most: 100 });
  return items.map(({ id, definition: { cron } }) => `${id} ${cron}`);
};
const idsOf = (schedules: readonly DefinedSchedule[]) => schedules.map(({ id }) => id);

test("schedules are stored as their files say, and those that no file has any more are deleted", async () => {
  const files = [fileOf("a.ts", [nightly("one"), nightly("two")])];
  expect(idsOf(await sync.apply(files))).toEqual(["one", "two"]);
  expect(await sync.apply(files)).toEqual([]);
  const saved = [fileOf("a.ts", [nightly("two", { cron: "0 3 * * *" })])];
  expect(idsOf(await sync.apply(saved))).toEqual(["two"]);
  expect(await stored()).toEqual(["two 0 3 * * *"]);
  expect(said).toEqual([]);
});

test("a schedule that the project did not store itself stays", async () => {
  const { id, definition: schedule } = nightly("theirs");
  await store.putSchedule({ id, schedule, actor: "ann" });
  await sync.apply([]);
  expect(await stored()).toEqual(["theirs 30 2 * * *"]);
});

test("what a file held last stays while it cannot be loaded, or its schedule is refused", async () => {
  await sync.apply([fileOf("a.ts", [nightly("one")]), fileOf("b.ts", [nightly("two")])]);
  const error = { place: "workflows/b.ts:1", message: "unexpected token" };
  await sync.apply([fileOf("a.ts", [], ["one"]), { file: "/project/workflows/b.ts", error }]);
  expect(await stored()).toEqual(["one 30 2 * * *", "two 30 2 * * *"]);
  expect(said).toEqual([
    "a.ts:3: one: zone must be the IANA name of a time zone. The last good schedule stays.",
  ]);
});

test("an id that two files have is that of the first, and the other one is named", async () => {
  await sync.apply([
    fileOf("a.ts", [nightly("one")]),
    fileOf("b.ts", [nightly("one", { cron: "0 3 * * *" })]),
  ]);
  expect(await stored()).toEqual(["one 30 2 * * *"]);
  expect(said).toEqual(["workflows/b.ts: workflows/a.ts has a schedule one, too."]);
});

test("a schedule of a workflow that is not stored is not stored either", async () => {
  await sync.apply([fileOf("a.ts", [nightly("one", { workflow: "payroll" })])]);
  expect(await stored()).toEqual([]);
  expect(said).toEqual([
    "workflows/a.ts: no workflow payroll is stored, so the schedule one is not: export it from a file in workflows/.",
  ]);
});
