import { isDeepStrictEqual } from "node:util";
import { schemaMeaning } from "@holdfast/contracts";
import { ContractFault, type Json } from "@holdfast/domain";
import { type AgentContract, type Call, contract } from "./agent.ts";
import { mustNotBeRefused } from "./refusals.ts";
import { inputSchemaOf, outputSchemaOf, type Schema } from "./schema.ts";

/** An Agent, whatever its operations are. */
export interface PooledAgent {
  readonly [contract]: AgentContract;
}

/**
 * The contracts of the Agents of a pool. Throws unless the call can go to each of them: it must be
 * of one of them, and mean the same to all.
 */
export function contractsOfPool(
  call: Call<unknown>,
  agents: readonly PooledAgent[],
): readonly AgentContract[] {
  const contracts = agents.map((agent) => agent[contract]);
  for (const one of contracts) mustNotBeRefused(one.name, one);
  const names = contracts.map(({ name }) => name);
  const own = contracts.find(({ name }) => name === call.agent);
  if (own === undefined) {
    throw invalid(
      `the call is of ${call.agent}, and agents are ${names.join(", ")}: name ${call.agent} among them, or call one of them`,
    );
  }
  const problems = contracts
    .filter(({ name }) => name !== own.name)
    .flatMap((other) => differences(own, other, call.operation));
  if (problems.length > 0) throw invalid(problems.join("; "));
  return contracts;
}

const invalid = (what: string): ContractFault => new ContractFault("workflow.invalid", what);

function differences(own: AgentContract, other: AgentContract, name: string): readonly string[] {
  const mine = own.operations[name];
  const theirs = other.operations[name];
  if (theirs === undefined) return [`${other.name} has no operation ${name}, as ${own.name} has`];
  if (mine === undefined) return [];
  const [here, there] = [`${own.name}.${name}`, `${other.name}.${name}`];
  return [
    ...(areSame(inputSchemaOf, mine.input, theirs.input)
      ? []
      : [`${there} takes another input than ${here}`]),
    ...(areSame(outputSchemaOf, mine.output, theirs.output)
      ? []
      : [`${there} returns another output than ${here}`]),
    ...(mine.undo === theirs.undo
      ? []
      : [
          `${there} is undone by ${theirs.undo ?? "nothing"}, and ${here} by ${mine.undo ?? "nothing"}`,
        ]),
  ];
}

type SchemaOf = (schema: Schema) => { readonly [key: string]: Json } | null;

/** What cannot be written as JSON Schema must be the same object. */
function areSame(schemaOf: SchemaOf, one: Schema, other: Schema): boolean {
  const [mine, theirs] = [schemaOf(one), schemaOf(other)];
  if (mine === null || theirs === null) return one === other;
  return isDeepStrictEqual(schemaMeaning(mine), schemaMeaning(theirs));
}
