import { ContractFault, type WorkflowDefinition } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { columns } from "../postgres/rows-to-columns.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** The remote service that an Agent wraps. */
interface AgentRemote {
  readonly agent: string;
  readonly service: string;
  readonly sharesKeys: boolean;
}

/** What stands in the store; null: another transaction has written it at this moment. */
interface OtherRemote {
  readonly agent: string;
  readonly service: string | null;
  readonly sharesKeys: boolean | null;
  /** A workflow that is in use and says so. */
  readonly workflow: string | null;
}

const lock = query("lock-remotes");
const take = query("take-remotes", rowsOf<OtherRemote>());

/**
 * Stores what a workflow says of the remote services of its Agents. Health is kept by remote service, so all
 * workflows in use must say the same: otherwise throws `agent.remote_changed`.
 */
export async function mustTakeRemotes(
  db: Database,
  { name, remotes = {} }: WorkflowDefinition,
): Promise<void> {
  const asked = Object.entries(remotes).map(
    ([agent, { service, sharesKeys = false }]): AgentRemote => ({ agent, service, sharesKeys }),
  );
  if (asked.length === 0) return;
  await lock(db, {});
  const fields = { agents: "agent", services: "service", sharesKeys: "sharesKeys" } as const;
  const others = await take(db, { name, ...columns(asked, fields) });
  if (others.length === 0) return;
  throw new ContractFault(
    "agent.remote_changed",
    `${name} contradicts a workflow in use: ${others.map(lineOf).join("; ")}. Say the same in defineAgent, or retire the workflows that say otherwise first`,
  );
}

function lineOf({ agent, service, sharesKeys, workflow }: OtherRemote): string {
  const keys = sharesKeys === true ? "whose Agents share keys" : "whose Agents share no keys";
  const wraps =
    service === null ? "another remote service" : `the remote service ${service}, ${keys}`;
  return `by ${workflow ?? "another workflow"} the Agent ${agent} wraps ${wraps}`;
}
