import type { WorkflowDefinition } from "@holdfast/domain";
import { checkAside, checkHere, type OpenChecker, type Soon } from "../aside/checker.ts";
import { contractHash } from "../contract/operation-contract.ts";
import { type JsonSchema, own } from "../schema/schema-keywords.ts";
import { type FieldFault, type InputCheck, openInput } from "./check-input.ts";

type Signals = Pick<WorkflowDefinition, "signals">;

/** What is wrong with the payload of a signal; found aside where that takes long. */
export type SignalCheck = (payload: unknown) => Soon<readonly FieldFault[]>;

/**
 * Opens the check of what signals of that name carry, by the schema that the workflow has for them:
 * as `openInput` checks inputs. Null: no step waits for a signal of that name. For services: no
 * payload keeps the event loop busy.
 */
export const openSignal = (definition: Signals, name: string): SignalCheck | null =>
  checkOf(definition, name, checkAside);

/** `openSignal` for what does nothing else meanwhile. */
export const compileSignal = (definition: Signals, name: string): InputCheck | null =>
  // What is checked here is never a promise.
  checkOf(definition, name, checkHere) as InputCheck | null;

function checkOf(definition: Signals, name: string, open: OpenChecker): SignalCheck | null {
  const schema = schemaOfSignal(definition, name);
  return schema === undefined ? null : openInput(schema, open, "the signal");
}

/**
 * The hash of what signals of that name carry (`contractHash`): two versions of a workflow that
 * have the same one take the same signals. Null: no step waits for one.
 */
export function signalContract(definition: Signals, name: string): string | null {
  const schema = schemaOfSignal(definition, name);
  return schema === undefined ? null : contractHash({ input: schema, output: null });
}

const schemaOfSignal = ({ signals = {} }: Signals, name: string): JsonSchema | undefined =>
  own(signals, name) as JsonSchema | undefined;
