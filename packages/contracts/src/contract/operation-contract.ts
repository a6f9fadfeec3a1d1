import { createHash } from "node:crypto";
import {
  agentsOfStep,
  callsOf,
  canonicalJson,
  type Template,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { schemaMeaning } from "../definition/schema-meaning.ts";
import { limits } from "../limits/limits.ts";
import { type JsonSchema, own } from "../schema/schema-keywords.ts";

/** What an operation takes and returns, as JSON Schemas; null: it cannot be written as one. */
export interface OperationContract {
  readonly input: JsonSchema | null;
  readonly output: JsonSchema | null;
}

/**
 * What steps of a workflow need of an Agent: an operation, by the contract that the workflow was
 * made with.
 */
export interface NeededContract extends OperationContract {
  readonly agent: string;
  readonly operation: string;
  /** `contractHash`; null: the definition has no schemas of the operation. */
  readonly contract: string | null;
}

/**
 * The hash of a contract: of what its schemas mean, not of the way in which a schema library prints
 * them. Null: the operation has no schemas that could be compared.
 */
export function contractHash({ input, output }: OperationContract): string | null {
  if (input === null && output === null) return null;
  const meaning = [input, output].map((schema) => (schema === null ? null : schemaMeaning(schema)));
  return createHash("sha256")
    .update(canonicalJson(meaning))
    .digest("hex")
    .slice(0, limits.contract);
}

/** What definitions need, as long as they are kept: they never change, and schemas may be large. */
const neededBy = new WeakMap<WorkflowDefinition, readonly NeededContract[]>();

/**
 * What a workflow needs of each Agent that it may ask, those of pools included. Undos are held to
 * no contract.
 */
export function contractsOf(definition: WorkflowDefinition): readonly NeededContract[] {
  const known = neededBy.get(definition);
  if (known !== undefined) return known;
  const needed = contractsIn(definition);
  neededBy.set(definition, needed);
  return needed;
}

function contractsIn(definition: WorkflowDefinition): readonly NeededContract[] {
  const { inputs = {}, outputs = {} } = definition;
  const needed = new Map<string, NeededContract>();
  for (const step of callsOf(definition)) {
    const { agent: first, operation } = step;
    const schemaIn = (schemas: JsonSchema): JsonSchema | null =>
      (own(schemas, `${first}.${operation}`) as JsonSchema | undefined) ?? null;
    const schemas = { input: schemaIn(inputs), output: schemaIn(outputs) };
    const hash = once(() => contractHash(schemas));
    for (const agent of agentsOfStep(step)) {
      needed.set(nameOfOperation({ agent, operation }), {
        agent,
        operation,
        ...schemas,
        // Made when it is asked for: a large schema takes as long as an event loop may stand still.
        get contract() {
          return hash();
        },
      });
    }
  }
  return [...needed.values()];
}

function once<Value extends string | null>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/**
 * The hashes of `contractsOf` by Agent and operation, as the store keeps them; operations without
 * one are left out.
 */
export const contractHashes = (
  definition: WorkflowDefinition,
): { readonly [name: string]: string } =>
  Object.fromEntries(
    contractsOf(definition).flatMap((needed) =>
      needed.contract === null ? [] : [[nameOfOperation(needed), needed.contract]],
    ),
  );

/** What the steps of a workflow that ask for an operation are given. */
export const givenTo = (
  definition: WorkflowDefinition,
  asked: Pick<NeededContract, "agent" | "operation">,
): readonly Template[] =>
  callsOf(definition)
    .filter(
      (step) => step.operation === asked.operation && agentsOfStep(step).includes(asked.agent),
    )
    .map(({ input }) => input);

/** `<agent>.<operation>`, as in the schemas of a definition. */
export const nameOfOperation = ({
  agent,
  operation,
}: Pick<NeededContract, "agent" | "operation">): string => `${agent}.${operation}`;
