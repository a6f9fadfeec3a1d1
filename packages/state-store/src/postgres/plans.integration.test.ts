import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { openTestStore, type TestStore } from "../../test/fixtures.ts";
import { monthOfTask } from "../../test/months.ts";
import { isGrowing, nodesOf, type PlanNode, planOf, runPlan } from "../../test/plans.ts";
import { readQuery, statementFiles } from "./query.ts";
import { plannerSettings } from "./session-settings.ts";

/** Read as a whole, and said to: for people and tests, not for what happens with every order. */
const exempt = new Set(["count-tasks", "find-invariant-violations"]);

/** Take the first of many, and are to read no others. */
const ordered = new Set(["claim-due-steps", "find-expired", "stage-due-steps"]);

/** Go by task and name, and are to search no index of what is in the same state. */
const named = new Set([
  "load-steps",
  "lock-pending-steps",
  "confirm-requests",
  "save-attempt-signs",
  "save-decisions",
]);

const names = [...statementFiles.keys()].filter((name) => !exempt.has(name));

interface Asked {
  readonly store: TestStore;
  /** Plans as services have it. */
  readonly client: Client;
}

const owner = new AsyncDisposableStack();
/** A store that has been at work for a while, one with a few tasks, and one with none. */
let full: Asked;
let small: Asked;
let fresh: Asked;
beforeAll(async () => {
  full = await open(20_000);
  small = await open(20);
  fresh = await open(0);
});
afterAll(() => owner.disposeAsync());

async function open(tasks: number): Promise<Asked> {
  const store = owner.use(await openTestStore());
  if (tasks > 0) {
    await fill(store, tasks);
    await store.query(
      `select state.make_partition((state.month_of(now()) + ahead * interval '1 month')::date)
         from generate_series(2, 12) as ahead`,
    );
    await store.query("analyze");
  }
  const options = plannerSettings.map((setting) => `-c ${setting}`).join(" ");
  const client = new Client({ connectionString: store.url, options });
  await client.connect();
  owner.defer(() => client.end());
  return { store, client };
}

/**
 * Fills a store as it looks after a while: most tasks are finished, some pending, a few being
 * processed.
 */
const fill = (store: TestStore, tasks: number) =>
  store.query(`
    with task as (
      insert into state.tasks (task_id, workflow, process_state, finished_at)
      select state.new_task_id(), 'test.v1',
             case when n % 20 = 0 then 'processing' else 'processed' end,
             case when n % 20 <> 0 then now() end
        from generate_series(1, ${tasks}) as n
      returning task_id, process_state
    )
    insert into state.steps (task_id, name, kind, lane, process_state, rank, not_before, admitted,
                             start_within, complete_within)
    select task_id, step, 'call', 'agent',
           case when task.process_state = 'processed' then 'processed'
                when step = 'a' then 'pending' else 'waiting' end,
           case when task.process_state = 'processing' and step = 'a' then now() end,
           case when task.process_state = 'processing' and step = 'a' then now() end,
           true, 1000, 1000
      from task cross join unnest(array['a', 'b', 'c']) as step`);

test.each(names)(
  "%s reads no growing table as a whole, and joins by nested loops",
  async (name) => {
    const nodes = await planOf(full.client, readQuery(name));
    const whole = nodes.filter((node) => node["Node Type"] === "Seq Scan" && isGrowing(node));
    expect(whole).toEqual([]);
    const unordered = nodes.filter((node) => node["Node Type"] === "Bitmap Heap Scan");
    expect(unordered.filter(isGrowing)).toEqual([]);
    expect(nodes.filter((node) => /^(Hash|Merge) Join$/.test(node["Node Type"]))).toEqual([]);
    const indexes = nodes.map((node) => node["Index Name"] ?? "");
    if (named.has(name)) expect(indexes.filter((index) => !/^(.*_pkey|)$/.test(index))).toEqual([]);
    if (ordered.has(name)) expect(nodes.map((node) => node["Node Type"])).not.toContain("Sort");
  },
);

/** What is asked for with every order. */
const hot = [
  "claim-due-steps",
  "count-steps-in-flight",
  "load-steps",
  "load-undone-steps",
  "lock-free-tasks",
  "lock-pending-steps",
  "lock-tasks",
  "confirm-requests",
  "rank-fair-steps",
  "stage-due-steps",
  "save-decisions",
  "take-unconfirmed-steps",
];

/**
 * The list that a nested loop reads from one end to the other for each row; undefined: it has an
 * index.
 */
function listReadForEach(loop: PlanNode): string | undefined {
  const inner = loop.Plans?.find((node) => node["Parent Relationship"] === "Inner");
  const list = inner?.["Node Type"] === "Materialize" ? inner.Plans?.[0] : inner;
  return loop["Join Filter"] === undefined ? undefined : list?.["CTE Name"];
}

/**
 * Lists that are short, however many steps there are: what operators have paused, and the bands of
 * lanes.
 */
const short = ["paused", "queue", "passed"];

test.each(hot)("%s reads no list of a batch for each row of another list", async (name) => {
  const nodes = await planOf(full.client, readQuery(name));
  const loops = nodes.filter((node) => node["Node Type"] === "Nested Loop");
  const lists = loops.flatMap((loop) => listReadForEach(loop) ?? []);
  expect(lists.filter((list) => !short.includes(list))).toEqual([]);
});

/** A lookup that chooses partitions anew for each row. */
const choosesPartitions = (node: PlanNode): boolean =>
  /\btask_id = (?!ANY)[^'$]/.test(node["Index Cond"] ?? "");

test.each(names)("%s chooses no partitions for each row below a lock", async (name) => {
  const nodes = await planOf(full.client, readQuery(name));
  const below = nodes.filter((node) => node["Node Type"] === "LockRows").flatMap(nodesOf);
  expect(below.filter(choosesPartitions).map((node) => node["Index Cond"])).toEqual([]);
});

/** A task in the middle of this month, or of one after it. */
const taskOf = async ({ store }: Asked, ahead = 0): Promise<{ id: string; month: string }> =>
  (
    await store.query<{ id: string; month: string }>(
      `select state.first_id_of(month + interval '14 days')::text as id,
              right(state.partition_of('', month), 7) as month
         from (select (state.month_of(now()) + $1 * interval '1 month')::date as month) as asked`,
      [ahead],
    )
  )[0]!;

test.each(hot)("%s opens no month but that of its tasks, however many there are", async (name) => {
  const { id, month } = await taskOf(full);
  const { text, parameters } = readQuery(name, monthOfTask(id));
  const nothing = parameters.map(() => "null").join(", ");
  const { client } = full;
  await client.query("begin");
  await client.query(`prepare narrow as ${text}`);
  await client.query(`execute narrow${nothing === "" ? "" : `(${nothing})`}`);
  const { rows } = await client.query<{ month: string }>(
    `select distinct right(relname, 7) as month
       from pg_locks
       join pg_class on oid = relation
      where pid = pg_backend_pid() and relname ~ '^(tasks|steps)_[0-9]+_[0-9]+$'`,
  );
  await client.query("rollback");
  await client.query("deallocate narrow");
  expect(rows).toEqual([{ month }]);
});

/** Whether a node reads the key of tasks or steps without saying which. */
const isSweep = ({ "Index Name": index = "", "Index Cond": found = "" }: PlanNode): boolean =>
  /^(tasks|steps)_.*pkey$/.test(index) && !found.includes("task_id = ");

const sweepsOf = async (asked: Asked, name: string, ahead = 0) => {
  const { id } = await taskOf(asked, ahead);
  const plan = await planOf(asked.client, readQuery(name, monthOfTask(id)));
  return plan.filter(isSweep);
};

describe("no scan reads a whole month", () => {
  test.each(hot)("by %s", async (name) => {
    expect(await sweepsOf(full, name)).toEqual([]);
  });

  test.each(hot)("by %s, when the month has just begun", async (name) => {
    expect(await sweepsOf(fresh, name, 1)).toEqual([]);
  });

  test.each(hot)("by %s, in a new store", async (name) => {
    expect(await sweepsOf(fresh, name)).toEqual([]);
  });

  test.each(hot)("by %s, in a store with few rows", async (name) => {
    expect(await sweepsOf(small, name)).toEqual([]);
  });
});

/** Values of `find-tasks`: a page of one tenant, from a cursor on. */
const page = (filter: Readonly<Record<string, string>>) => ({
  before: "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
  from: "'00000000-0000-0000-0000-000000000000'",
  scan: "100",
  by: "'id'",
  countOnly: "false",
  fields: "'{}'",
  operators: "'{}'",
  operands: "'{}'",
  tenant: "'default'",
  most: "10",
  ...filter,
});

const conditionOn = (field: string, values: string) => ({
  fields: `array['${field}']`,
  operators: "array['in']",
  operands: `array['${values}'::json]`,
});

describe("a list of tasks reads only as many as it scans, from its cursor on and by one index", () => {
  test.each<[string, Readonly<Record<string, string>>, RegExp?]>([
    ["without a filter", {}],
    ["of some workflows", conditionOn("workflow", '["test.v1", "other.v1"]')],
    ["in one state", conditionOn("state", '["halted"]')],
    ["with one fault", conditionOn("faultCode", '["test.failed"]')],
    ["of one correlation id", conditionOn("correlationId", '["no such id"]')],
    ["with some labels", conditionOn("label.region", '["eu", "us"]')],
    ["open ones", { by: "'open'" }, /^tasks_.*task_id_idx$/],
    ["of one business key", { by: "'key'", value: "'k'" }, /^tasks_.*business_key_task_id_idx$/],
    ["created in a period", { from: "state.first_id_of(now() - interval '1 day')" }],
  ])("%s", async (_, filter, index = /^tasks_.*pkey$/) => {
    const { text, parameters } = readQuery("find-tasks");
    const values: Readonly<Record<string, string | undefined>> = page(filter);
    const given = parameters.map((parameter) => values[parameter] ?? "null").join(", ");
    const nodes = await runPlan(full.client, text, given);
    const reads = nodes.filter((node) => isGrowing(node) && node["Actual Loops"] !== 0);
    const pages = reads.filter((node) => node["Node Type"] === "Index Scan");
    expect(pages.length).toBeGreaterThan(0);
    expect(reads).toEqual(pages);
    expect(pages.filter((node) => !index.test(node["Index Name"] ?? ""))).toEqual([]);
    expect(pages.filter((node) => !/task_id <.*task_id >=/.test(node["Index Cond"] ?? ""))).toEqual(
      [],
    );
    const read = pages.reduce((sum, node) => sum + (node["Actual Rows"] ?? 0), 0);
    expect(read).toBeLessThanOrEqual(100);
  });
});
