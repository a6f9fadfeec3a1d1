import { setImmediate as nextTurn } from "node:timers/promises";
import type { WorkflowDefinition } from "@holdfast/domain";
import { type ContractGap, contractGaps, type Offered } from "../contract/contract-gaps.ts";
import { contractHashes } from "../contract/operation-contract.ts";
import { readingOf } from "../contract/readers.ts";
import type { FieldFault } from "../definition/check-input.ts";
import { definitionHash, meansTheSame } from "../definition/definition-hash.ts";
import { schemasOf, unsupportedInEach } from "../definition/schema-faults.ts";
import { definitionChecks } from "../definition/validate-definition.ts";
import { type ValueFlow, valueFlow } from "../flow/value-flow.ts";
import { aside, LostWork } from "./aside.ts";
import { isSmallSchema, type Soon } from "./checker.ts";

// Judges definitions for services: what a small one takes is done here, and all else aside, so that
// the event loop goes on whatever stands in a definition.

/** Characters of a definition that is looked through in some milliseconds. */
const small = 16_000;
/** Steps of 5 microseconds in which values are followed here. */
const stepsHere = 2_000;

const isSmall = (...all: unknown[]): boolean => JSON.stringify(all).length <= small;

/** `definitionFaults`, in turns of the event loop or aside. */
export async function findDefinitionFaults(json: unknown): Promise<readonly FieldFault[]> {
  if (!isSmall(json) || !schemasOf(json).every(([, schema]) => isSmallSchema(schema))) {
    return await aside<readonly FieldFault[]>("faults", json).catch(tooMuch);
  }
  return await faultsInTurns(json, definitionChecks(json));
}

/**
 * The faults in pieces, with a turn of the event loop after each. Where there are none, those of
 * the flow of values.
 */
async function faultsInTurns(
  json: unknown,
  pieces: Iterable<readonly FieldFault[]>,
): Promise<readonly FieldFault[]> {
  const faults: FieldFault[] = [];
  for (const found of pieces) {
    faults.push(...found);
    await nextTurn();
  }
  return faults.length > 0 ? faults : (await flowAside(json as WorkflowDefinition)).faults;
}

function tooMuch(error: unknown): readonly FieldFault[] {
  if (!(error instanceof LostWork)) throw error;
  return [{ pointer: "", detail: "takes more time to check than it may: say less" }];
}

/** `valueFlow`, here or aside. */
export function flowAside(definition: WorkflowDefinition): Soon<ValueFlow> {
  if (isSmall(definition)) {
    const flow = valueFlow(definition, stepsHere);
    if (flow.isComplete) return flow;
  }
  return aside("flow", definition);
}

/** What is stored beside a definition of the right form, and what keeps it from being stored. */
export interface JudgedDefinition {
  readonly refused: readonly FieldFault[];
  /** `definitionHash`. */
  readonly hash: string;
  /** `contractHashes`. */
  readonly contracts: ReturnType<typeof contractHashes>;
}

/** Judges a definition that is to be stored, here or aside. */
export async function judgeDefinition(definition: WorkflowDefinition): Promise<JudgedDefinition> {
  if (!isSmall(definition)) {
    const tooCostly = (error: unknown) => ({ refused: tooMuch(error), hash: "", contracts: {} });
    return await aside<JudgedDefinition>("judge", definition).catch(tooCostly);
  }
  return {
    refused: await faultsInTurns(definition, unsupportedInEach(definition)),
    hash: definitionHash(definition),
    contracts: contractHashes(definition),
  };
}

/** `meansTheSame`, here or aside. */
export const meansTheSameAside = (
  stored: unknown,
  definition: WorkflowDefinition,
): Soon<boolean> =>
  isSmall(stored, definition)
    ? meansTheSame(stored, definition)
    : aside("meansTheSame", stored, definition);

/** `definitionHash`, here or aside. */
export const definitionHashAside = (definition: WorkflowDefinition): Soon<string> =>
  isSmall(definition) ? definitionHash(definition) : aside("hash", definition);

/** `contractHashes`, here or aside. */
export const contractHashesAside = (
  definition: WorkflowDefinition,
): Soon<ReturnType<typeof contractHashes>> =>
  isSmall(definition) ? contractHashes(definition) : aside("hashes", definition);

/** `contractGaps`, here or aside. */
export const contractGapsAside = (asked: Offered): Soon<readonly ContractGap[]> =>
  isSmall(asked) ? contractGaps(asked) : aside("gaps", asked);

/** `readingOf`, here or aside. */
export const readingAside = (
  ...asked: Parameters<typeof readingOf>
): Soon<ReturnType<typeof readingOf>> =>
  isSmall(asked) ? readingOf(...asked) : aside("reading", ...asked);
