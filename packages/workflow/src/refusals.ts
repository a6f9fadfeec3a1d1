import { ContractFault, errorText } from "@holdfast/domain";

/** A workflow, an Agent or a schedule that cannot be defined, and why. */
export interface RefusedDefinition {
  readonly kind: "workflow" | "Agent" | "schedule";
  readonly name: string;
  readonly error: unknown;
}

/**
 * The key of the list of refused definitions, in the global object: a project may have another copy
 * of this package.
 */
export const refusals: unique symbol = Symbol.for("holdfast.refusals");

/**
 * The global object: while it has a list, a definition that is refused goes into that, and no other
 * of its module fails.
 */
export interface CollectsRefusals {
  [refusals]?: RefusedDefinition[];
}

/**
 * Lists a definition that is refused while a module is loaded for its definitions. Throws its error
 * otherwise.
 */
export function refuse(refused: RefusedDefinition): void {
  const list = (globalThis as CollectsRefusals)[refusals];
  if (list === undefined) throw refused.error;
  list.push(refused);
}

/** The key under which an Agent that is refused, and each call of it, has its error. */
export const refusal: unique symbol = Symbol("refusal");

/** What may stand for an Agent that is refused. */
export interface MayBeRefused {
  readonly [refusal]?: { readonly error: unknown };
}

/** Whether this stands for an Agent that is refused. */
export const isRefused = ({ [refusal]: refused }: MayBeRefused): boolean => refused !== undefined;

/**
 * Throws a `ContractFault` that names the Agent if it is refused: what uses it cannot be defined
 * either.
 */
export function mustNotBeRefused(agent: string, { [refusal]: refused }: MayBeRefused): void {
  if (refused === undefined) return;
  const { error } = refused;
  const [why = ""] = errorText(error).split("\n");
  throw new ContractFault("workflow.invalid", `the Agent ${agent} is refused: ${why}`, {
    cause: error,
  });
}
