import {
  type FieldFault,
  isReservedCollection,
  type JudgedDefinition,
  judgeDefinition,
  limits,
  meansTheSameAside,
  readDefinition,
} from "@holdfast/contracts";
import {
  ContractFault,
  errorText,
  familyOf,
  planWorkflow,
  type WorkflowDefinition,
  type WorkflowPlan,
} from "@holdfast/domain";
import { boundedMap } from "@holdfast/runtime";
import type { Pool } from "pg";
import { isForOperators } from "../postgres/postgres-error.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import {
  foundBetween,
  inTransaction,
  TakesLong,
  untilQuick,
  withRetries,
} from "../postgres/transaction.ts";
import { readOlderInstances } from "../statistics/older-instances.ts";
import { breakingContracts } from "./breaking-contracts.ts";
import { type ContractHashes, type StepContracts, stepContracts } from "./output-contract.ts";

export interface StoredWorkflow {
  readonly definition: WorkflowDefinition;
  readonly plan: WorkflowPlan;
  /** What goes into its steps and comes out of them must fit these. */
  readonly contracts: StepContracts;
}

/** Who stores a definition, and how. */
export interface RegistrationOptions {
  /** The person or program that stores it; unknown, unless given. */
  readonly storedBy?: string;
  /**
   * Whether the version may become active. False: it stays inactive, unless it is the first one.
   * Otherwise one that is newer than the active one becomes active once its Agents are known: see
   * `findAwaitingWorkflows`.
   */
  readonly activates?: boolean;
  /**
   * Whether its contracts may break those of workflows in use, as in development; refused unless
   * said.
   */
  readonly breaks?: "refused" | "allowed";
}

/** A definition that is to be stored. */
export interface Registration extends RegistrationOptions {
  readonly definition: WorkflowDefinition;
}

/** A definition that was just read. */
interface ReadWorkflow extends StoredWorkflow {
  /** Bytes of the definition as it is stored. */
  readonly bytes: number;
}

/** A definition that is not stored, or that this release cannot use. */
export interface UnusableWorkflow {
  readonly name: string;
  /** A text for people. */
  readonly problem: string;
}

/**
 * The stored definitions. They never change, so each is parsed once, while there is room for it.
 * One that cannot be used is read again at the next call: an operator may have repaired it.
 */
export interface WorkflowCatalog {
  find(db: Database, name: string): Promise<StoredWorkflow | UnusableWorkflow>;
  /** Finds as `find` does, but throws `workflow.unknown`. */
  get(db: Database, name: string): Promise<StoredWorkflow>;
  /**
   * What was found before; undefined: not yet, or it had to leave. Never asks the store: see
   * `contractsOf`.
   */
  known(name: string): StoredWorkflow | undefined;
}

/**
 * Bytes of the definitions that are kept: hundreds of usual ones. With their plans and compiled
 * schemas they take some fifteen times that, and each version of a workflow stays for as long as a
 * task has it.
 */
const mostKept = 4 * 1024 * 1024;

/** Bytes. Definitions are payloads with schemas around them, and never that long. */
const mostBytes = 4 * limits.payloadBytes;

const selectWorkflow = query(
  "find-workflow",
  rowsOf<{
    definition: unknown;
    bytes: number;
    contentHash: string;
    /** Hashes by operation; null: an earlier release stored it. */
    contracts: ContractHashes | null;
  }>(),
);
const insertWorkflow = query("insert-workflow", rowsOf<{ name: string }>());
const findUnendorsed = query("find-unendorsed-workflow", rowsOf<{ name: string }>());
const endorse = query("endorse-workflow");
const takeCollection = query("take-collection", rowsOf<{ family: string }>());

export const isUsable = (found: StoredWorkflow | UnusableWorkflow): found is StoredWorkflow =>
  "plan" in found;

export function workflowCatalog(): WorkflowCatalog {
  const read = boundedMap<string, StoredWorkflow>(mostKept);
  const reading = new Map<string, Promise<ReadWorkflow | UnusableWorkflow>>();
  const find: WorkflowCatalog["find"] = async (db, name) => {
    const known = read.get(name);
    if (known !== undefined) return known;
    const before = reading.get(name);
    if (before !== undefined) return before;
    const found = readWorkflow(db, name);
    reading.set(name, found);
    try {
      const workflow = await found;
      if ("bytes" in workflow) read.set(name, workflow, workflow.bytes);
      return workflow;
    } finally {
      reading.delete(name);
    }
  };
  return {
    find,
    known: (name) => read.get(name),
    get: async (db, name) => {
      const workflow = await find(db, name);
      if (isUsable(workflow)) return workflow;
      throw new ContractFault("workflow.unknown", `${name} cannot be used: ${workflow.problem}`);
    },
  };
}

const contractsByPlan = new WeakMap<WorkflowPlan, StepContracts>();

/**
 * A definition with all that is made of it. The hashes of its contracts are made when they are
 * asked for, if not given.
 */
export function storedWorkflow(
  definition: WorkflowDefinition,
  hashes: ContractHashes | null = null,
): StoredWorkflow {
  const plan = planWorkflow(definition);
  const contracts = stepContracts(definition, hashes);
  contractsByPlan.set(plan, contracts);
  return { definition, plan, contracts };
}

/**
 * The contracts of the workflow of a task. They last as long as the plan that the task has,
 * whatever leaves the catalog meanwhile: whether there is a contract is never a question of what
 * happens to be kept.
 */
export function contractsOf(plan: WorkflowPlan): StepContracts {
  const contracts = contractsByPlan.get(plan);
  if (contracts === undefined) throw new Error(`The plan of ${plan.name} is of no stored workflow`);
  return contracts;
}

/** Reads a definition from the store and parses it, whatever stands there. */
export async function readWorkflow(
  db: Database,
  name: string,
): Promise<ReadWorkflow | UnusableWorkflow> {
  const [row] = await selectWorkflow(db, { name, mostBytes });
  if (row === undefined) return { name, problem: "no definition of that name is stored" };
  if (row.bytes > mostBytes) {
    return { name, problem: `its definition is ${row.bytes} bytes long, of at most ${mostBytes}` };
  }
  try {
    const definition = readDefinition(row.definition);
    if (definition.name !== name) {
      return { name, problem: `its definition is that of ${definition.name}` };
    }
    return { ...storedWorkflow(definition, row.contracts), bytes: row.bytes };
  } catch (error) {
    return { name, problem: errorText(error) };
  }
}

/** Stores a definition in one transaction, and retries that: see `registerWorkflow`. */
export async function storeDefinition(
  pool: Pool,
  registration: Registration,
): Promise<"created" | "same"> {
  const { collection: _, ...content } = registration.definition;
  const judged = await judgeDefinition(readDefinition(content));
  const comparing: Comparing = {
    breaking: breakingContracts(registration.definition, {
      pool,
      readDefinition: definitionOf,
      contracts: judged.contracts,
    }),
    meanTheSame: foundBetween(
      ({ contentHash }) => contentHash,
      ({ definition }) => meansTheSameAside(definition, content),
    ),
  };
  const store = () =>
    inTransaction(pool, async (client) => {
      const kind = await storeAllowed(client, { ...registration, ...judged }, comparing);
      return { sent: [], result: () => kind };
    });
  return await withRetries(() => untilQuick(store));
}

/** A registration, and what was found of its definition before the transaction that stores it. */
type Judged = Registration & JudgedDefinition;

/**
 * How a definition compares with those that are stored: it is found out between two transactions.
 */
interface Comparing {
  readonly breaking: ReturnType<typeof breakingContracts>;
  /** Whether it means the same as each of these. */
  readonly meanTheSame: (stored: readonly StoredContent[]) => readonly boolean[];
}

/** A definition as it is stored, whatever it is, and its hash. */
interface StoredContent {
  readonly definition: unknown;
  readonly contentHash: string;
}

/** The definition of a workflow; null: it cannot be used. */
async function definitionOf(db: Database, name: string): Promise<WorkflowDefinition | null> {
  const found = await readWorkflow(db, name);
  return isUsable(found) ? found.definition : null;
}

async function storeAllowed(
  db: Database,
  registration: Judged,
  comparing: Comparing,
): Promise<"created" | "same"> {
  const { definition } = registration;
  try {
    return await storeWorkflow(db, registration, comparing);
  } catch (error) {
    if (!isForOperators(error)) throw error;
    throw new ContractFault(
      "workflow.operators_only",
      `This login may store first versions of workflows only, not ${definition.name}: operators store it, by PUT /v1/workflows/{name} or by WORKFLOW_MODULES of operations`,
    );
  }
}

async function storeWorkflow(
  db: Database,
  {
    definition: { collection, ...definition },
    storedBy,
    activates,
    breaks = "refused",
    refused,
    hash,
    contracts,
  }: Judged,
  { breaking, meanTheSame }: Comparing,
): Promise<"created" | "same"> {
  const { name } = definition;
  await mustBeReadable(db, definition);
  // One that an earlier release stored stays, and may be registered again at each start.
  if (refused.length > 0 && (await selectWorkflow(db, { name, mostBytes })).length === 0) {
    throw invalid(name, refused);
  }
  const inserted = await insertWorkflow(db, {
    name,
    contentHash: hash,
    format: definition.format,
    definition: JSON.stringify(definition),
    contracts: JSON.stringify(contracts),
    storedBy: storedBy ?? null,
    awaitsAgents: activates ?? null,
  });
  const stored = await selectWorkflow(db, { name, mostBytes });
  const isSame = stored[0]?.contentHash === hash || meanTheSame(stored).includes(true);
  if (isSame) {
    if (inserted.length === 0) await endorseWorkflow(db, name);
    if (inserted.length === 1 && breaks === "refused") {
      await breaking.mustNotBreak(db);
    }
    await mustTakeRemotes(db, definition);
    if (collection !== undefined) await mustTakeCollection(db, collection, familyOf(name));
    return inserted.length === 1 ? "created" : "same";
  }
  throw new ContractFault(
    "workflow.changed",
    `${name} is stored with other content: give the new definition a new version`,
  );
}

/**
 * No process may be running that could not read the definition: its tasks would be set aside there.
 */
async function mustBeReadable(
  db: Database,
  { name, format }: Pick<WorkflowDefinition, "name" | "format">,
): Promise<void> {
  if (format === 1) return;
  const older = await readOlderInstances(db, format);
  if (older.length === 0) return;
  const list = older.map((one) => `${one.service} ${one.instance} (${one.version})`).join(", ");
  throw new ContractFault(
    "workflow.format_too_new",
    `${name} has format ${format}, which these processes cannot read: ${list}. Upgrade all services, then store it again`,
  );
}

/** What submission stored first counts as stored by operators once they store the same. */
async function endorseWorkflow(db: Database, name: string): Promise<void> {
  if ((await findUnendorsed(db, { name })).length > 0) await endorse(db, { name });
}

const invalid = (name: string, parts: readonly FieldFault[]): ContractFault =>
  new ContractFault(
    "workflow.invalid",
    parts
      .slice(0, limits.refusals)
      .map(({ pointer, detail }) => `${name}: ${pointer} ${detail}`)
      .join("\n"),
  );

/** It is no part of what the workflow means: tasks in flight do not rely on it. */
async function mustTakeCollection(db: Database, collection: string, family: string): Promise<void> {
  if (isReservedCollection(collection)) {
    throw new ContractFault(
      "workflow.collection_reserved",
      `The platform needs the noun ${collection} itself: name the collection otherwise`,
    );
  }
  if ((await takeCollection(db, { collection, family })).length === 1) return;
  throw new ContractFault(
    "workflow.collection_taken",
    `The collection ${collection} is that of another workflow, of which not all versions are retired`,
  );
}

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
 * Stores what a workflow says of the remote services of its Agents. Health is kept by remote
 * service, so all workflows in use must say the same: otherwise throws `agent.remote_changed`.
 */
async function mustTakeRemotes(
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

/**
 * Definitions that are read and planned in one transaction that keeps rows locked. The largest take
 * some 15 ms each; tasks that are decided about together are usually of one or two workflows, and
 * those are known.
 */
const mostReads = 4;

export type FindWorkflow = WorkflowCatalog["find"];

/**
 * Finds the workflows of tasks in a transaction. Throws `TakesLong` where it would have to read
 * many.
 */
export function briefReads(
  catalog: Pick<WorkflowCatalog, "find" | "known">,
  /** The database for those that are read between two transactions. */
  pool: Database,
) {
  /** What was found stays, whatever has to leave the catalog meanwhile. */
  const found = new Map<string, StoredWorkflow | UnusableWorkflow>();
  const find: FindWorkflow = async (db, name) => {
    const workflow = found.get(name) ?? (await catalog.find(db, name));
    found.set(name, workflow);
    return workflow;
  };
  return {
    /** Begins the reads of one transaction. */
    begin(): FindWorkflow {
      const reading = new Set<string>();
      const left = new Set<string>();
      return async (db, name) => {
        const isKnown = found.has(name) || catalog.known(name) !== undefined;
        if (!isKnown && reading.size >= mostReads && !reading.has(name)) {
          left.add(name);
          throw new TakesLong(async () => {
            for (const one of left) await find(pool, one);
          });
        }
        if (!isKnown) reading.add(name);
        return await find(db, name);
      };
    },
  };
}
