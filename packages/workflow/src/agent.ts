import { agentNamePattern, contractHash, operationNamePattern } from "@holdfast/contracts";
import { ContractFault, type Json, type RemoteDefinition } from "@holdfast/domain";
import type { WholeTemplate } from "./ref.ts";
import { type MayBeRefused, refusal, refuse } from "./refusals.ts";
import {
  type InputOf,
  inputSchemaOf,
  type OutputOf,
  outputSchemaOf,
  partThatIsNoJson,
  type Schema,
} from "./schema.ts";

/** One thing that an Agent can do: what it needs, what it returns, and what undoes it. */
export interface Operation {
  readonly input: Schema;
  readonly output: Schema;
  /**
   * The name of the operation that undoes this one. It is asked for by Holdfast alone, never by a
   * workflow, and is given what went in and, when it is known, what came out.
   */
  readonly undo?: string;
}

export type Operations = Readonly<Record<string, Operation>>;

export interface AgentOptions {
  /**
   * The remote service that the Agent wraps: several Agents may wrap one, such as its accounts or
   * regions. By default one of the Agent's own name.
   */
  readonly remote?: string;
  /**
   * Whether the remote service knows an idempotency key whichever of its Agents sends it: it does
   * nothing twice although two of them ask. False by default; say true only if the service promises
   * it.
   */
  readonly sharesKeys?: boolean;
}

/** A request not yet made: which Agent is to do what, with which input. Plain data. */
export interface Call<Result> extends MayBeRefused {
  readonly agent: string;
  readonly operation: string;
  readonly input: unknown;
  readonly undo: string | null;
  /** The JSON Schema of what the Agent takes; null: it cannot be written as one. */
  readonly inputSchema: { readonly [key: string]: Json } | null;
  /** The JSON Schema of what the Agent will return; null: it cannot be written as one. */
  readonly outputSchema: { readonly [key: string]: Json } | null;
  /** What the Agent wraps; absent: a service of the Agent's own name. */
  readonly remote?: RemoteDefinition;
  /** The type of what the Agent will return; no such value is ever present. */
  readonly result?: Result;
}

export const contract = Symbol("contract");

/**
 * The hash of what an operation takes and returns, as stored workflows have it; null: there is
 * nothing to compare.
 */
export const contractOf = ({ input, output }: Operation): string | null =>
  contractHash({ input: inputSchemaOf(input), output: outputSchemaOf(output) });

export interface AgentContract<O extends Operations = Operations> extends MayBeRefused {
  readonly name: string;
  readonly operations: O;
  /** The remote service that it wraps. Absent: one of the Agent's own name. */
  readonly remote?: RemoteDefinition;
}

/**
 * What a workflow sees of an Agent: `inventory.reserve({ … })` writes down a call and makes none.
 */
export type Agent<O extends Operations> = {
  readonly [contract]: AgentContract<O>;
} & {
  readonly [Name in keyof O]: (
    input: WholeTemplate<InputOf<O[Name]["input"]>>,
  ) => Call<OutputOf<O[Name]["output"]>>;
};

/**
 * Declares an Agent by its name, which is also its queue, by the operations it offers, and by what
 * it wraps. Throws a `ContractFault` (`agent.invalid`) with a line for each mistake.
 */
export function defineAgent<const O extends Operations>(
  name: string,
  operations: O,
  options: AgentOptions = {},
): Agent<O> {
  try {
    return declare(name, operations, options);
  } catch (error) {
    refuse({ kind: "Agent", name, error });
    return refusedAgent(name, operations, error);
  }
}

/**
 * Stands for an Agent that is refused: its module goes on, and each workflow that calls it is
 * refused as well.
 */
function refusedAgent<O extends Operations>(name: string, operations: O, error: unknown): Agent<O> {
  const refused = { [refusal]: { error } };
  const nothing = { undo: null, inputSchema: null, outputSchema: null, ...refused };
  const calls = Object.keys(Object(operations)).map((operation) => [
    operation,
    (input: unknown) => ({ agent: name, operation, input, ...nothing }),
  ]);
  return { ...Object.fromEntries(calls), [contract]: { name, operations, ...refused } };
}

function declare<O extends Operations>(
  name: string,
  operations: O,
  options: AgentOptions,
): Agent<O> {
  const problems = [
    ...contractProblems(name, operations),
    ...schemaProblems(name, operations),
    ...remoteProblems(name, options),
  ];
  if (problems.length > 0) throw new ContractFault("agent.invalid", problems.join("\n"));
  const remote = remoteOf(name, options);
  const calls = Object.entries<Operation>(operations).map(
    ([operation, { undo = null, ...schemas }]) => {
      const inputSchema = inputSchemaOf(schemas.input);
      const outputSchema = outputSchemaOf(schemas.output);
      return [
        operation,
        (input: unknown) => ({
          agent: name,
          operation,
          input,
          undo,
          inputSchema,
          outputSchema,
          ...remote,
        }),
      ];
    },
  );
  return { ...Object.fromEntries(calls), [contract]: { name, operations, ...remote } };
}

/**
 * What goes without saying is left out: a definition that says nothing new stays the same
 * definition.
 */
function remoteOf(
  name: string,
  { remote: service = name, sharesKeys = false }: AgentOptions,
): { readonly remote?: RemoteDefinition } {
  if (service === name && !sharesKeys) return {};
  return { remote: sharesKeys ? { service, sharesKeys } : { service } };
}

const remoteProblems = (agent: string, { remote }: AgentOptions): readonly string[] =>
  remote === undefined || new RegExp(agentNamePattern).test(remote)
    ? []
    : [
        `Agent ${agent}: remote "${remote}": not a usable name (lower-case letters, digits and dashes)`,
      ];

/**
 * What no message can have: an Agent would refuse each request, or its workflows would know another
 * type.
 */
const schemaProblems = (agent: string, operations: Operations): readonly string[] =>
  Object.entries(operations).flatMap(([name, { input, output }]) => {
    const taken = partThatIsNoJson(input, { way: "input", mayCoerce: true });
    const returned = partThatIsNoJson(output, { way: "output" });
    const at = `Agent ${agent}: operation "${name}"`;
    return [
      ...(taken === null ? [] : [`${at}, input${taken}`]),
      ...(returned === null ? [] : [`${at}, output${returned}`]),
    ];
  });

/** Agents and operations become parts of routing keys and of stored steps. */

function contractProblems(agent: string, operations: Operations): readonly string[] {
  const undos = Object.values(operations).flatMap(({ undo }) => undo ?? []);
  const taken = (name: string, index: number) =>
    Object.hasOwn(operations, name) || undos.indexOf(name) !== index;
  return [
    ...(new RegExp(agentNamePattern).test(agent) ? [] : [`Agent ${agent}: not a usable name`]),
    ...[...Object.keys(operations), ...undos]
      .filter((name) => !new RegExp(operationNamePattern).test(name))
      .map((name) => `Agent ${agent}: operation "${name}": not a usable name`),
    ...undos
      .filter(taken)
      .map((name) => `Agent ${agent}: "${name}" undoes one operation and is nothing else`),
  ];
}
