import { createHash } from "node:crypto";
import { canonicalJson, type OperationSchemas, type WorkflowDefinition } from "@holdfast/domain";
import { schemaMeaning } from "./schema-meaning.ts";
import { readDefinition } from "./validate-definition.ts";

type Contracts = "inputs" | "outputs" | "signals" | "forms";
type Meaningful = Omit<WorkflowDefinition, Contracts> & {
  readonly [Name in Contracts]?: OperationSchemas | undefined;
};

/**
 * SHA-256 of a definition, by which the store knows whether another one under its name is the same.
 */
export function definitionHash(definition: WorkflowDefinition): string {
  const { collection: _, ...content } = definition;
  return hashOf(content);
}

/**
 * Whether a stored definition means what another one says. One that was stored before contracts
 * were part of a definition is compared without them.
 */
export function meansTheSame(stored: unknown, definition: WorkflowDefinition): boolean {
  let known: WorkflowDefinition;
  try {
    known = readDefinition(stored);
  } catch {
    return false;
  }
  const comparable = ({ inputs, outputs, ...content }: WorkflowDefinition): Meaningful => ({
    ...content,
    inputs: known.inputs && definition.inputs && inputs,
    outputs: known.outputs && definition.outputs && outputs,
  });
  return hashOf(comparable(known)) === hashOf(comparable(definition));
}

/**
 * SHA-256 of what a definition means: not of the way in which a schema library prints its schemas.
 */
function hashOf({ inputSchema, inputs, outputs, signals, forms, ...content }: Meaningful): string {
  const meaning = {
    ...content,
    inputSchema: schemaMeaning(inputSchema),
    inputs: inputs && meaningsOf(inputs),
    outputs: outputs && meaningsOf(outputs),
    signals: signals && meaningsOf(signals),
    forms: forms && meaningsOf(forms),
  };
  return createHash("sha256").update(canonicalJson(meaning)).digest("hex");
}

const meaningsOf = (schemas: OperationSchemas) =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, schemaMeaning(schema)]),
  );
