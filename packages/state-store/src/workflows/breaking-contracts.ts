import {
  contractGaps,
  contractHashes,
  contractsOf,
  givenTo,
  isBreaking,
  nameOfOperation,
} from "@holdfast/contracts";
import { ContractFault, definitionFormat, type WorkflowDefinition } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const findOthers = query("find-other-contracts", rowsOf<{ operation: string; workflow: string }>());

/**
 * Refuses a workflow by whose contracts an Agent could not read what another workflow in use asks for: a field that an
 * operation newly requires, or takes as another type, needs a new name of the operation.
 */
export async function mustNotBreak(
  db: Database,
  definition: WorkflowDefinition,
  readDefinition: (name: string) => Promise<WorkflowDefinition | null>,
): Promise<void> {
  const { name } = definition;
  const contracts = JSON.stringify(contractHashes(definition));
  const others = await findOthers(db, { name, contracts, format: definitionFormat });
  const lines: string[] = [];
  for (const { operation, workflow } of others) {
    const other = await readDefinition(workflow);
    const [needed, offered] = [other, definition].map(
      (one) => one && contractsOf(one).find((made) => nameOfOperation(made) === operation),
    );
    if (needed == null || offered == null || other === null) continue;
    const given = givenTo(other, needed);
    for (const gap of contractGaps({ needed, offered, given }).filter(isBreaking)) {
      const does = gap.kind === "requires" ? "newly requires" : "takes as another type";
      lines.push(
        `${name}: ${operation} ${does} ${gap.pointer || "/"}, as ${workflow} does not give it`,
      );
    }
  }
  if (lines.length === 0) return;
  throw new ContractFault(
    "workflow.contract_breaks",
    `${lines.slice(0, mostLines).join("\n")}\nGive the changed operation a name of its own, beside the old one, make the field optional, or retire the workflows that do not give it`,
  );
}

const mostLines = 20;
