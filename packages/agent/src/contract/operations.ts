import { payloadFaultsAt, payloadWords, type StepRequest } from "@holdfast/contracts";
import { ContractFault, type Json } from "@holdfast/domain";
import { type AgentContract, contractOf, type Operation, type Schema } from "@holdfast/workflow";
import type { StepContext } from "./handlers.ts";

/** One operation of an Agent, its types forgotten: checks what goes in and what comes out. */
export interface BoundOperation {
  /** The hash of its contract; null: there is none, as for an undo. */
  readonly contract: string | null;
  /** Throws a `ContractFault` when the request does not fit the contract. */
  prepare(request: StepRequest): Promise<PreparedCall>;
}

/** Calls the handler. Throws what it throws, or a `ContractFault` when its output does not fit. */
export type PreparedCall = (step: StepContext) => Promise<Json>;

type AnyHandler = (input: never, step: StepContext) => Promise<unknown>;
/** The handlers of an Agent by the names of its operations, their types forgotten. */
export type AnyHandlers = Readonly<Record<string, AnyHandler>>;

/**
 * All that an Agent can be asked for: its operations, and what undoes them. Throws a
 * `ContractFault` that names the Agent and each operation without a handler.
 */
export function bindOperations(
  { name: agent, operations }: AgentContract,
  handlers: AnyHandlers,
): ReadonlyMap<string, BoundOperation> {
  const handlerOf = (name: string): AnyHandler | undefined =>
    // Code without types may give none at all.
    Object.hasOwn(Object(handlers), name) ? handlers[name] : undefined;
  const names = Object.entries(operations).flatMap(([name, { undo }]) =>
    undo === undefined ? [name] : [name, undo],
  );
  const missing = names.filter((name) => typeof handlerOf(name) !== "function");
  if (missing.length > 0) {
    const all = missing.join(", ");
    const each = missing.length === 1 ? "a function of that name" : "functions of these names";
    throw new ContractFault(
      "agent.handler_missing",
      `Agent ${agent}: no handler is given for ${all}: add ${each}`,
    );
  }
  const bound = Object.entries(operations).flatMap(([name, operation]) => {
    const does = [name, bindDo(operation, handlerOf(name)!)] as const;
    const { undo } = operation;
    if (undo === undefined) return [does];
    return [does, [undo, bindUndo(operation, handlerOf(undo)!)] as const];
  });
  return new Map(bound);
}

const bindDo = (operation: Operation, handler: AnyHandler): BoundOperation => ({
  contract: contractOf(operation),
  async prepare({ input }) {
    const checked = await conform(operation.input, input);
    return async (step) => {
      const output = await conformOutput(operation.output, await handler(checked as never, step));
      const faults = payloadFaultsAt(output);
      if (faults.length === 0) return output as Json;
      throw new ContractFault("step.output_unstorable", `The output ${payloadWords(faults)}`);
    };
  },
});

const bindUndo = (operation: Operation, handler: AnyHandler): BoundOperation => ({
  contract: null,
  async prepare({ undo }) {
    if (undo === undefined) {
      throw new ContractFault("step.contract_broken", "An undo must say what is to be undone");
    }
    // What was done is undone by the contract of its time: a newer one does not get in the way.
    const input = await conformIfPossible(operation.input, undo.input);
    const isKnown = undo.outcome === "completed";
    const output = isKnown ? await conformIfPossible(operation.output, undo.output) : undefined;
    return async (step) => {
      await handler({ input, output, key: undo.key } as never, step);
      return null;
    };
  },
});

/** The value as the schema makes it; as it was stored, if the schema refuses it. */
async function conformIfPossible(schema: Schema, value: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined ? result.value : value;
}

/**
 * What a handler returned as its contract has it. A handler that returns nothing has null for its
 * output.
 */
async function conformOutput(schema: Schema, output: unknown): Promise<unknown> {
  if (output !== undefined) return (await conform(schema, output)) ?? null;
  const result = await schema["~standard"].validate(undefined);
  return result.issues === undefined ? (result.value ?? null) : conform(schema, null);
}

async function conform(schema: Schema, value: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({ path = [], message }) => {
    const at = path
      .map((part) => `/${String(typeof part === "object" ? part.key : part)}`)
      .join("");
    return `${at || "/"}: ${message}`;
  });
  throw new ContractFault("step.contract_broken", problems.join("; "));
}
