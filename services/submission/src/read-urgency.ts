import {
  allowedFairness,
  type Fairness,
  isFairnessKey,
  isFairnessWeight,
  isPriority,
  type Json,
  lookupIn,
  type Priority,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { Problem } from "./problem.ts";

/** What a submission says of its urgency, as it came: in a body, or in headers of HTTP or of a message. */
export interface AskedUrgency {
  readonly priority?: unknown;
  readonly fairnessKey?: unknown;
  readonly fairnessWeight?: unknown;
}

/** Throws a `Problem` that says which priorities there are. */
export function readPriority({ priority = "normal" }: AskedUrgency): Priority {
  if (isPriority(priority)) return priority;
  throw new Problem(
    422,
    "request.priority_invalid",
    "The priority must be urgent, normal or batch.",
  );
}

/**
 * The fairness key and weight of a task: as the submission says, otherwise as the workflow says where they stand in
 * the input. Throws a `Problem` that says what is allowed.
 */
export function readFairness(
  { fairnessKey, fairnessWeight }: AskedUrgency,
  { fairness: pointers }: Pick<WorkflowDefinition, "fairness">,
  input: Json,
): Fairness | null {
  const lookup = lookupIn({ input, outputs: new Map() });
  const at = (pointer: string | undefined) => (pointer === undefined ? null : lookup(pointer));
  const key = toKey(fairnessKey ?? at(pointers?.key) ?? null);
  const weight = toWeight(fairnessWeight ?? at(pointers?.weight) ?? null);
  if (key === null) {
    if (fairnessWeight === undefined) return null;
    throw invalid("The fairness weight is of no use without a fairness key.");
  }
  if (!isFairnessKey(key)) {
    const where = from(fairnessKey, pointers?.key);
    throw invalid(`The fairness key${where} must be ${allowedFairness.key}.`);
  }
  if (weight !== null && !isFairnessWeight(weight)) {
    const where = from(fairnessWeight, pointers?.weight);
    throw invalid(`The fairness weight${where} must be ${allowedFairness.weight}.`);
  }
  return { key, weight: weight ?? 1 };
}

const invalid = (detail: string) => new Problem(422, "request.fairness_invalid", detail);

/** Where a value of the input stands; nothing for one that the submission gives. */
const from = (asked: unknown, pointer: string | undefined): string =>
  asked === undefined && pointer !== undefined ? ` at ${pointer}` : "";

/** A customer's number is as good a key as a name. */
const toKey = (key: unknown): unknown => (Number.isSafeInteger(key) ? String(key) : key);

/** Headers of HTTP are texts. */
const toWeight = (weight: unknown): unknown =>
  typeof weight === "string" && /^\d{1,4}$/.test(weight) ? Number(weight) : weight;
