import type { WorkflowDefinition } from "@holdfast/domain";
import { composed, exactlyOnce, repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import {
  isUsable,
  type RegistrationOptions,
  type StoredWorkflow,
  storeDefinition,
} from "./workflow-catalog.ts";

/** A stored workflow, without its definition. Instants are those of the driver. */
export interface WorkflowRecord {
  readonly name: string;
  /** The nouns at which its tasks, of all versions, are submitted: `POST /v1/{noun}`. */
  readonly collections: readonly string[];
  readonly createdAt: Date;
  /** The person or program that stored it; null: unknown. */
  readonly storedBy: string | null;
  /** The instant of its retirement; null: it takes new tasks. */
  readonly retiredAt: Date | null;
  readonly retiredBy: string | null;
  readonly retiredReason: string | null;
  /**
   * Whether operators stored it. Others stand behind those for a submission that names no version.
   */
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
  /**
   * What its running instances announce together, undos included; null: unknown, if one of them
   * does not say.
   */
  readonly operations: readonly string[] | null;
  /** Whether no instance of it has sent a heartbeat for a day. */
  readonly isSilent: boolean;
}

/** What is asked of a workflow as a whole, by whom and why. */
export interface WorkflowRequest {
  readonly name: string;
  readonly actor: string;
  readonly reason: string;
}

/**
 * `asAwaited`: only if it still awaits its Agents, and not against what a person has decided since.
 */
export interface ActivationRequest extends WorkflowRequest {
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

const selectWorkflows = query("find-workflows", rowsOf<WorkflowRecord>());
const selectAgents = query("find-known-agents", rowsOf<KnownAgent>());

/**
 * Stores a definition under its name. Safe to repeat: storing it again is fine. One that means
 * something else under the same name is refused (`workflow.changed`), because tasks in flight rely
 * on it, and so is one that no Scheduler could use, whose schemas it could not check in bounded
 * time, or that hands a value that may be missing to where it must be there (`workflow.invalid`),
 * or that says another remote service of an Agent than a workflow in use (`agent.remote_changed`),
 * or whose Agents could not read what a workflow in use asks for (`workflow.contract_breaks`),
 * unless that is allowed. What is stored first stays as it is, with its contracts or without. The
 * login of submission may not store a further version (`workflow.operators_only`).
 */
export const registerWorkflow = composed(
  (
    { pool },
    definition: WorkflowDefinition,
    options: RegistrationOptions = {},
  ): Promise<"created" | "same"> => storeDefinition(pool, { definition, ...options }),
);

/** Finds a workflow; null: no definition is stored under that name, or it cannot be used. */
export const findWorkflow = repeatable(
  async (db, name: string, { catalog }): Promise<StoredWorkflow | null> => {
    const found = await catalog.find(db, name);
    return isUsable(found) ? found : null;
  },
);

/** All stored workflows, without their definitions. */
export const findWorkflows = repeatable(
  (db): Promise<readonly WorkflowRecord[]> => selectWorkflows(db, {}),
);

/** Every Agent that has ever sent a heartbeat. */
export const findKnownAgents = repeatable(
  (db): Promise<readonly KnownAgent[]> => selectAgents(db, {}),
);

/**
 * Makes a version what the name of its workflow means, also one that is retired. False: it is not
 * stored, or does not await its Agents any more. Refused to the login of submission.
 */
export const activateWorkflow = exactlyOnce(
  async (db, request: ActivationRequest): Promise<boolean> =>
    (await activate(db, request))[0]?.isActivated === true,
);

/** Which of these versions are what their names without a version mean. */
export const findActiveVersions = repeatable(
  async (db, params: { readonly names: readonly string[] }): Promise<ReadonlySet<string>> =>
    new Set((await selectActive(db, params)).map(({ name }) => name)),
);

/** The versions that are to be activated as soon as their Agents are known. */
export const findAwaitingWorkflows = repeatable(
  (db): Promise<readonly AwaitingWorkflow[]> => selectAwaiting(db, {}),
);

/**
 * Has a workflow take no new tasks; tasks under way go on. If it was active, the version is that
 * was active before, or else the newest. False: there is none that takes any: it is retired
 * already, or not stored.
 */
export const retireWorkflow = exactlyOnce(
  async (db, request: WorkflowRequest): Promise<boolean> =>
    (await retire(db, request)).length === 1,
);

/** Has a retired workflow take new tasks again. False: there is no retired one of that name. */
export const reinstateWorkflow = exactlyOnce(
  async (db, { name }: { readonly name: string }): Promise<boolean> =>
    (await reinstate(db, { name })).length === 1,
);
