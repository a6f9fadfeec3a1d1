import { contractsOf, type Reading, readingAside } from "@holdfast/contracts";
import { definitionFormat, type WorkflowDefinition } from "@holdfast/domain";
import { turns } from "@holdfast/runtime";
import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { ContractReadings } from "../store-context.ts";
import {
  isUsable,
  readWorkflow,
  type StoredWorkflow,
  type UnusableWorkflow,
} from "./workflow-catalog.ts";

interface DifferenceRow {
  readonly workflow: string;
  readonly isRetired: boolean;
  readonly agent: string;
  readonly operation: string;
  readonly needed: string;
  /** The contract that the instances offer; empty: they do not have the operation. */
  readonly offered: string;
  readonly instances: number;
  readonly names: readonly string[];
  readonly knownBy: string | null;
  readonly isLater: boolean;
}

/**
 * Running instances of an Agent that have another contract of an operation than a stored workflow
 * was made with.
 */
export interface ContractDifference extends Omit<DifferenceRow, "knownBy" | "isLater"> {
  /** How they read what the workflow asks for. */
  readonly reading: Reading;
  /** Why they are unfit, in words; empty: they are not. */
  readonly why: string;
}

const find = query("find-contract-differences", rowsOf<DifferenceRow>());

type Definitions = ReadonlyMap<string, WorkflowDefinition>;
type FindWorkflow = (name: string) => Promise<StoredWorkflow | UnusableWorkflow>;

/** What contracts are compared with. */
export interface ContractsAsked {
  /**
   * The workflows that are to be done: for them contracts count, too, that no instance has now, and
   * that another stored workflow was made with, since one may start at any time. Null: all
   * workflows, and what instances have now.
   */
  readonly workflows: readonly string[] | null;
}

/** How many readings are kept. */
const mostKept = 20_000;

/** Finds where instances of Agents differ from what stored workflows need. */
export const findContractDifferences = repeatable(
  (db, asked: ContractsAsked, { catalog, contractReadings }) =>
    readContractDifferences(db, asked, {
      findWorkflow: (name) => catalog.find(db, name),
      kept: contractReadings,
    }),
);

interface Reader {
  readonly findWorkflow: FindWorkflow;
  readonly kept: ContractReadings;
}

/**
 * Finds differences as `findContractDifferences` does, once. Usually there are none, and no
 * definition is read. How a contract reads a workflow never changes, so it is compared once, as
 * long as it is `kept`.
 */
export async function readContractDifferences(
  db: Database,
  { workflows }: ContractsAsked,
  { findWorkflow, kept }: Reader = {
    findWorkflow: (name) => readWorkflow(db, name),
    kept: new Map(),
  },
): Promise<readonly ContractDifference[]> {
  const rows = await find(db, { format: definitionFormat, workflows });
  const definitions = await definitionsOf(
    rows.filter((row) => !kept.has(keyOf(row))),
    findWorkflow,
  );
  const differences: ContractDifference[] = [];
  for (const row of rows) {
    if (turns.isOver()) await turns.next();
    differences.push(await compared(row, definitions, kept));
  }
  return differences;
}

async function compared(
  row: DifferenceRow,
  definitions: Definitions,
  kept: ContractReadings,
): Promise<ContractDifference> {
  const { knownBy, isLater: _, ...difference } = row;
  const known = kept.get(keyOf(row));
  if (known !== undefined) return { ...difference, ...known };
  const { reading, why } = await differenceOf(row, definitions);
  // A definition that could not be used may be repaired.
  const isUsed = [row.workflow, knownBy].every((name) => name === null || definitions.has(name));
  if (isUsed && kept.size < mostKept) kept.set(keyOf(row), { reading, why });
  return { ...difference, reading, why };
}

const keyOf = ({ workflow, agent, operation, offered, knownBy, isLater }: DifferenceRow): string =>
  [workflow, agent, operation, offered, knownBy, isLater].join(" ");

async function definitionsOf(
  rows: readonly DifferenceRow[],
  read: FindWorkflow,
): Promise<Definitions> {
  const names = new Set(
    rows.flatMap(({ workflow, knownBy }) => (knownBy === null ? [workflow] : [workflow, knownBy])),
  );
  const definitions = new Map<string, WorkflowDefinition>();
  for (const name of names) {
    const found = await read(name);
    if (isUsable(found)) definitions.set(name, found.definition);
  }
  return definitions;
}

async function differenceOf(
  { knownBy, isLater, ...row }: DifferenceRow,
  definitions: Definitions,
): Promise<ContractDifference> {
  const { agent, operation, offered } = row;
  const definition = definitions.get(row.workflow);
  const maker = definitions.get(knownBy ?? "");
  const contract =
    maker && contractsOf(maker).find((one) => one.agent === agent && one.operation === operation);
  if (definition === undefined) return { ...row, reading: "unknown", why: "" };
  const known =
    contract === undefined ? null : { input: contract.input, output: contract.output, isLater };
  const asked = { agent, operation, offered: offered === "" ? undefined : offered, known };
  return { ...row, ...(await readingAside(definition, asked)) };
}

/** A difference in one sentence, without its full stop. */
export function differenceText({
  workflow,
  agent,
  operation,
  needed,
  offered,
  instances,
  names,
  reading,
  why,
}: ContractDifference): string {
  const more = instances > names.length ? ` and ${instances - names.length} more` : "";
  const who = `${names.join(", ")}${more} of the Agent ${agent}`;
  if (offered === "")
    return `${who} cannot do what ${workflow} asks for: no operation ${operation}`;
  const has = `${who}: the contract of ${operation} is ${offered}, and ${workflow} was made with ${needed}`;
  switch (reading) {
    case "unfit":
      return `${has}: it ${why}`;
    case "unknown":
      return `${has}. No stored workflow was made with the former, so each request shows whether they can read it`;
    case "fits":
    case "same":
      return `${has}, which fits`;
  }
}
