import type { Client } from "pg";
import type { Query } from "../src/postgres/query.ts";

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
export const isGrowing = ({ "Relation Name": name = "" }: PlanNode): boolean =>
  growing.has(name.replace(/_\d+_\d\d$/, ""));

/** A node of a plan, as `explain` shows it. */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  /** Rows that the node has returned; absent: the statement was not executed. */
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Index Cond"?: string;
  readonly "Join Filter"?: string;
  readonly "Parent Relationship"?: string;
  readonly "CTE Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

/** A node of a plan, and all below it. */
export const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
];

/** The plan of a statement, for unknown parameters. */
export async function planOf(
  asked: Client,
  { text, parameters }: Query,
): Promise<readonly PlanNode[]> {
  const nothing = parameters.map(() => "null").join(", ");
  await asked.query(`prepare planned as ${text}`);
  const { rows } = await asked.query<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }>(
    `explain (format json) execute planned${nothing === "" ? "" : `(${nothing})`}`,
  );
  await asked.query("deallocate planned");
  return rows.flatMap((row) => row["QUERY PLAN"]).flatMap(({ Plan }) => nodesOf(Plan));
}

/** The plan of a statement that was executed. */
export async function runPlan(
  client: Client,
  text: string,
  values: string,
): Promise<readonly PlanNode[]> {
  await client.query(`prepare listed as ${text}`);
  const { rows } = await client.query<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }>(
    `explain (analyze, timing off, format json) execute listed(${values})`,
  );
  await client.query("deallocate listed");
  return rows.flatMap((row) => row["QUERY PLAN"]).flatMap(({ Plan }) => nodesOf(Plan));
}
