import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "pg";
import { planner } from "./database.ts";
import { readQuery } from "./query.ts";
import { openTestStore, type TestStore } from "./testing.ts";

/** Read as a whole, and said to: for people and tests, not for what happens with every order. */
const exempt = new Set(["count-tasks", "find-invariant-violations"]);

/** Tables that grow with every order. */
const growing = new Set([
  "tasks",
  "task_payloads",
  "steps",
  "step_payloads",
  "events",
  "submissions",
  "outbox",
  "orders",
  "order_lines",
]);

/** A partition is known by its table. */
const isGrowing = ({ "Relation Name": name = "" }: PlanNode): boolean =>
  growing.has(name.replace(/_\d+_\d\d$/, ""));

/** Take the first of many, and are to read no others. */
const ordered = new Set(["claim-due-steps", "find-expired", "promote-rested-steps"]);

/** Go by task and name, and are to search no index of what is in the same state. */
const named = new Set([
  "load-steps",
  "lock-pending-steps",
  "mark-dispatched-steps",
  "save-decisions",
]);

const names = readdirSync(new URL("../sql", import.meta.url))
  .map((file) => file.replace(/\.sql$/, ""))
  .filter((name) => !exempt.has(name));

let db: TestStore;
let client: Client;
beforeAll(async () => {
  db = await openTestStore();
  // Mostly finished, some pending, a few in hand: what a store looks like after a while.
  await db.query(`
    with task as (
      insert into state.tasks (task_id, workflow, process_state, finished_at)
      select state.new_task_id(), 'test.v1',
             case when n % 20 = 0 then 'processing' else 'processed' end,
             case when n % 20 <> 0 then now() end
        from generate_series(1, 20000) as n
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
  await db.query("analyze");
  const options = planner.map((setting) => `-c ${setting}`).join(" ");
  client = new Client({ connectionString: db.url, options });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await db[Symbol.asyncDispose]();
});

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
];

test.each(names)(
  "%s reads no growing table as a whole, and joins by nested loops",
  async (name) => {
    const { text, parameters } = readQuery(name);
    const nothing = parameters.map(() => "null").join(", ");
    const prepared = `"${name}"`;
    await client.query(`prepare ${prepared} as ${text}`);
    const { rows } = await client.query<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }>(
      `explain (format json) execute ${prepared}${nothing === "" ? "" : `(${nothing})`}`,
    );
    const nodes = rows.flatMap((row) => row["QUERY PLAN"]).flatMap(({ Plan }) => nodesOf(Plan));
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
