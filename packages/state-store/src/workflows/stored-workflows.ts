import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A stored workflow, without its definition. Instants are those of the driver. */
export interface WorkflowRecord {
  readonly name: string;
  /** The nouns under which its tasks, of all versions, have routes of their own. */
  readonly collections: readonly string[];
  readonly createdAt: Date;
  /** The person or program that stored it; null: unknown. */
  readonly storedBy: string | null;
  /** The instant of its retirement; null: it takes new tasks. */
  readonly retiredAt: Date | null;
  readonly retiredBy: string | null;
  readonly retiredReason: string | null;
  /** Whether operators stored it. Others stand behind those for a submission that names no version. */
  readonly byOperators: boolean;
  /** Whether it is what its name without a version means. */
  readonly isActive: boolean;
  /** When, by whom and why it was activated last; null: never. */
  readonly activatedAt: Date | null;
  readonly activatedBy: string | null;
  readonly activatedReason: string | null;
  /** Whether it becomes active as soon as its Agents are known. */
  readonly awaitsAgents: boolean;
}

/** An Agent that has ever sent a heartbeat, and how long ago (ms) the first one came. */
export interface KnownAgent {
  readonly agent: string;
  readonly knownFor: number;
  /** What its running instances announce together, undos included; null: unknown, if one of them does not say. */
  readonly operations: readonly string[] | null;
  /** Whether no instance of it has sent a heartbeat for a day. */
  readonly isSilent: boolean;
}

/** What is asked of a workflow as a whole, by whom and why. */
export interface WorkflowWish {
  readonly name: string;
  readonly actor: string;
  readonly reason: string;
}

/** `asAwaited`: only if it still awaits its Agents, and not against what a person has decided since. */
export interface ActivationWish extends WorkflowWish {
  readonly asAwaited: boolean;
}

/** A version that becomes active as soon as its Agents are known. */
export interface AwaitingWorkflow {
  readonly name: string;
  readonly storedBy: string | null;
}

const activate = query("activate-workflow", rowsOf<{ isActivated: boolean }>());
const selectActive = query("find-active-versions", rowsOf<{ name: string }>());
const selectAwaiting = query("find-awaiting-workflows", rowsOf<AwaitingWorkflow>());
const retire = query("retire-workflow", rowsOf<{ name: string }>());
const reinstate = query("reinstate-workflow", rowsOf<{ name: string }>());

export const findWorkflows = query("find-workflows", rowsOf<WorkflowRecord>());
export const findKnownAgents = query("find-known-agents", rowsOf<KnownAgent>());

/** Activates a workflow; false: it is not stored, or does not await its Agents any more. */
export const activateWorkflow = async (db: Database, wish: ActivationWish): Promise<boolean> =>
  (await activate(db, wish))[0]?.isActivated === true;

/** Which of these versions are what their names without a version mean. */
export const findActiveVersions = async (
  db: Database,
  params: { readonly names: readonly string[] },
): Promise<ReadonlySet<string>> =>
  new Set((await selectActive(db, params)).map(({ name }) => name));

export const findAwaitingWorkflows = (db: Database): Promise<readonly AwaitingWorkflow[]> =>
  selectAwaiting(db, {});

/** Retires a workflow; false: it is retired already, or not stored. */
export const retireWorkflow = async (db: Database, wish: WorkflowWish): Promise<boolean> =>
  (await retire(db, wish)).length === 1;

/** Reinstates a workflow; false: it is not retired, or not stored. */
export const reinstateWorkflow = async (
  db: Database,
  { name }: { readonly name: string },
): Promise<boolean> => (await reinstate(db, { name })).length === 1;
