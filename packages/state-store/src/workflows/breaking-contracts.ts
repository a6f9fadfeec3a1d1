import {
  contractGapsAside,
  contractsOf,
  givenTo,
  isBreaking,
  nameOfOperation,
  type OperationContract,
} from "@holdfast/contracts";
import { ContractFault, definitionFormat, type WorkflowDefinition } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { foundBetween } from "../postgres/transaction.ts";

const findOthers = query("find-other-contracts", rowsOf<OtherContract>());

interface OtherContract {
  readonly operation: string;
  readonly workflow: string;
}

const keyOf = ({ operation, workflow }: OtherContract): string => `${operation} ${workflow}`;

interface Comparing {
  readonly pool: Database;
  readonly readDefinition: (db: Database, name: string) => Promise<WorkflowDefinition | null>;
  /** `contractHashes` of the definition. */
  readonly contracts: { readonly [operation: string]: string };
}

/**
 * Refuses a workflow by whose contracts an Agent could not read what another workflow in use asks
 * for: a field that an operation newly requires, or takes as another type, needs a new name of the
 * operation. It is asked in the transaction that stores the workflow, and compared between two of
 * them, since the largest take some 100 ms each: what was compared stays so, for definitions never
 * change.
 */
export function breakingContracts(
  definition: WorkflowDefinition,
  { pool, readDefinition, contracts }: Comparing,
) {
  const { name } = definition;
  const compare = foundBetween(keyOf, async ({ operation, workflow }: OtherContract) => {
    const other = await readDefinition(pool, workflow);
    return other === null ? [] : await breaksOf(definition, other, operation);
  });
  return {
    async mustNotBreak(db: Database): Promise<void> {
      const asked = { name, contracts: JSON.stringify(contracts), format: definitionFormat };
      const lines = compare(await findOthers(db, asked)).flat();
      if (lines.length === 0) return;
      throw new ContractFault(
        "workflow.contract_breaks",
        `${lines.slice(0, mostLines).join("\n")}\nGive the changed operation a name of its own, beside the old one, make the field optional, or retire the workflows that do not give it`,
      );
    },
  };
}

/**
 * What an operation newly asks for, as the workflow has it, that another workflow does not give.
 */
async function breaksOf(
  workflow: WorkflowDefinition,
  other: WorkflowDefinition,
  operation: string,
): Promise<readonly string[]> {
  const [needed, offered] = [other, workflow].map((one) =>
    contractsOf(one).find((made) => nameOfOperation(made) === operation),
  );
  if (needed === undefined || offered === undefined) return [];
  const gaps = await contractGapsAside({
    needed: schemasOf(needed),
    offered: schemasOf(offered),
    given: givenTo(other, needed),
  });
  return gaps.filter(isBreaking).map(({ kind, pointer }) => {
    const does = kind === "requires" ? "newly requires" : "takes as another type";
    return `${workflow.name}: ${operation} ${does} ${pointer || "/"}, as ${other.name} does not give it`;
  });
}

const schemasOf = ({ input, output }: OperationContract): OperationContract => ({ input, output });

const mostLines = 20;
