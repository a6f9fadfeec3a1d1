import { createHash } from "node:crypto";
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

/** The stored definitions. They never change, so each is read once, however many ask. */
export interface WorkflowCatalog {
  find(db: Database, name: string): Promise<StoredWorkflow | null>;
  /** Like `find`, but throws `workflow.unknown`: a task of a workflow that is not stored is a bug. */
  get(db: Database, name: string): Promise<StoredWorkflow>;
  /** What was found before; undefined: not yet. Never asks the store. */
  known(name: string): StoredWorkflow | undefined;
}

const findWorkflow = query<
  { name: string },
  { definition: WorkflowDefinition; contentHash: string }
>("find-workflow");
const insertWorkflow = query("insert-workflow");

export function workflowCatalog(): WorkflowCatalog {
  const known = new Map<string, Promise<StoredWorkflow | null>>();
  const read = new Map<string, StoredWorkflow>();
  const find = (db: Database, name: string): Promise<StoredWorkflow | null> => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = readWorkflow(db, name);
    known.set(name, found);
    const forget = () => known.delete(name);
    // What is not there yet, or could not be read, is looked for again.
    found.then((workflow) => (workflow === null ? forget() : read.set(name, workflow)), forget);
    return found;
  };
  return {
    find,
    known: (name) => read.get(name),
    get: async (db, name) => {
      const workflow = await find(db, name);
      if (workflow !== null) return workflow;
      throw new ContractFault("workflow.unknown", `No workflow named ${name} is stored`);
    },
  };
}

async function readWorkflow(db: Database, name: string): Promise<StoredWorkflow | null> {
  const [row] = await findWorkflow(db, { name });
  if (row === undefined) return null;
  const { definition } = row;
  return { definition, plan: planWorkflow(definition), contract: outputContract(definition) };
}

/**
 * Stores a definition under its name. Storing it again is fine; another content under the same name
 * is refused (`workflow.changed`), because tasks in flight rely on it. One that an earlier release stored
 * has no schemas of outputs: it stays as it is, and its outputs are held to none.
 */
export async function registerWorkflow(
  db: Database,
  definition: WorkflowDefinition,
): Promise<void> {
  const { name } = definition;
  const { outputs, ...content } = definition;
  const contentHash = createHash("sha256").update(canonical(content)).digest("hex");
  await insertWorkflow(db, {
    name,
    contentHash,
    format: definitionFormat,
    definition: JSON.stringify(definition),
  });
  const [stored] = await findWorkflow(db, { name });
  const known = stored?.definition.outputs;
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
