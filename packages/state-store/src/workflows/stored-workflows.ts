import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A stored workflow, without its definition. Instants are those of the driver. */
export interface WorkflowRecord {
  readonly name: string;
  /** The nouns under which its tasks, of all versions, have routes of their own. */
  readonly collections: readonly string[];
  readonly createdAt: Date;
  /** Null: it takes new tasks. */
  readonly retiredAt: Date | null;
  readonly retiredBy: string | null;
  readonly retiredReason: string | null;
  /** Whether operators stored it. Others stand behind those for a submission that names no version. */
  readonly byOperators: boolean;
}

/** An Agent that has ever sent a heartbeat, and how long ago (ms) the first one came. */
export interface KnownAgent {
  readonly agent: string;
  readonly knownFor: number;
  /** What its running instances announce together, undos included; null: unknown, if one of them does not say. */
  readonly operations: readonly string[] | null;
}

/** What is asked of a workflow as a whole, by whom and why. */
export interface WorkflowWish {
  readonly name: string;
  readonly actor: string;
  readonly reason: string;
}

const retire = query("retire-workflow", rowsOf<{ name: string }>());
const reinstate = query("reinstate-workflow", rowsOf<{ name: string }>());

export const findWorkflows = query("find-workflows", rowsOf<WorkflowRecord>());
export const findKnownAgents = query("find-known-agents", rowsOf<KnownAgent>());

/** False: it is retired already, or not stored. */
export const retireWorkflow = async (db: Database, wish: WorkflowWish): Promise<boolean> =>
  (await retire(db, wish)).length === 1;

/** False: it is not retired, or not stored. */
export const reinstateWorkflow = async (
  db: Database,
  { name }: { readonly name: string },
): Promise<boolean> => (await reinstate(db, { name })).length === 1;
