import { createHash } from "node:crypto";
import { limits, readDefinition } from "@holdfast/contracts";
import {
  ContractFault,
  definitionFormat,
  planWorkflow,
  type WorkflowDefinition,
  type WorkflowPlan,
} from "@holdfast/domain";
import { type OutputContract, outputContract } from "./output-contract.ts";
import { type Database, query } from "./query.ts";

export interface StoredWorkflow {
  readonly definition: WorkflowDefinition;
  readonly plan: WorkflowPlan;
  /** What the outputs of its steps must be. */
  readonly contract: OutputContract;
}

/** A definition that is not stored, or that this release cannot use. */
export interface UnusableWorkflow {
  readonly name: string;
  /** For people. */
  readonly problem: string;
}

/**
 * The stored definitions. They never change, so each is parsed once. One that cannot be used is read
 * again at the next call: an operator may have repaired it.
 */
export interface WorkflowCatalog {
  find(db: Database, name: string): Promise<StoredWorkflow | UnusableWorkflow>;
  /** Like `find`, but throws `workflow.unknown`. */
  get(db: Database, name: string): Promise<StoredWorkflow>;
  /** What was found before; undefined: not yet. Never asks the store. */
  known(name: string): StoredWorkflow | undefined;
}

/** Bytes. Definitions are payloads with schemas around them, and never that long. */
const mostBytes = 4 * limits.payloadBytes;

const selectWorkflow = query<
  { name: string; mostBytes: number },
  { definition: unknown; bytes: number; contentHash: string }
>("find-workflow");
const insertWorkflow = query("insert-workflow");

export const isUsable = (found: StoredWorkflow | UnusableWorkflow): found is StoredWorkflow =>
  "plan" in found;

export function workflowCatalog(): WorkflowCatalog {
  const known = new Map<string, Promise<StoredWorkflow | UnusableWorkflow>>();
  const read = new Map<string, StoredWorkflow>();
  const find: WorkflowCatalog["find"] = (db, name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = readWorkflow(db, name);
    known.set(name, found);
    const forget = () => known.delete(name);
    found.then((workflow) => (isUsable(workflow) ? read.set(name, workflow) : forget()), forget);
    return found;
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

/** Reads a definition from the store and parses it, whatever stands there. */
export async function readWorkflow(
  db: Database,
  name: string,
): Promise<StoredWorkflow | UnusableWorkflow> {
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
    return { definition, plan: planWorkflow(definition), contract: outputContract(definition) };
  } catch (error) {
    return { name, problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Stores a definition under its name. Storing it again is fine; another content under the same name
 * is refused (`workflow.changed`), because tasks in flight rely on it, and so is one that no Scheduler could
 * use (`workflow.invalid`). One that an earlier release stored
 * has no schemas of outputs: it stays as it is, and its outputs are held to none.
 */
export async function registerWorkflow(
  db: Database,
  definition: WorkflowDefinition,
): Promise<void> {
  const { name } = readDefinition(definition);
  const { outputs, ...content } = definition;
  const contentHash = createHash("sha256").update(canonical(content)).digest("hex");
  await insertWorkflow(db, {
    name,
    contentHash,
    format: definitionFormat,
    definition: JSON.stringify(definition),
  });
  const [stored] = await selectWorkflow(db, { name, mostBytes });
  const known = (stored?.definition as Partial<WorkflowDefinition> | null | undefined)?.outputs;
  const areSame =
    known === undefined || outputs === undefined || canonical(known) === canonical(outputs);
  if (stored?.contentHash === contentHash && areSame) return;
  throw new ContractFault(
    "workflow.changed",
    `${name} is stored with other content: give the new definition a new version`,
  );
}

/** JSON with its keys in order, so that the order in which they were written changes nothing. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
