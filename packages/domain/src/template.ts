import { ContractFault, PermanentFault } from "./faults.ts";
import type { Json } from "./json.ts";
import type { Template } from "./workflow-definition.ts";

/** What a pointer such as `/input/customer` stands for; undefined when there is nothing there. */
export type Lookup = (pointer: string) => Json | undefined;

/** All that the refs of one task can point at. */
export interface TaskValues {
  readonly input: Json;
  /** By step. The output of a skipped step is null. */
  readonly outputs: ReadonlyMap<string, Json>;
}

/** Finds values by pointer. Below a null is null: that is how a skipped step looks to later ones. */
export function lookupIn({ input, outputs }: TaskValues): Lookup {
  return (pointer) => {
    const [root, ...path] = parsePointer(pointer);
    if (root === "input") return path.reduce(child, input);
    const [step = "", ...below] = path;
    return root === "steps" ? below.reduce(child, outputs.get(step)) : undefined;
  };
}

/** Fills the holes. Throws a `PermanentFault` (`step.input_unresolvable`) naming the first one that stays empty. */
export function resolveTemplate(template: Template, lookup: Lookup): Json {
  if (isList(template)) return template.map((item) => resolveTemplate(item, lookup));
  if (!isObject(template)) return template;
  const pointer = pointerIn(template);
  if (pointer !== null) return found(lookup(pointer), pointer);
  const literal = literalIn(template);
  if (literal !== undefined) return literal;
  const entries = Object.entries(template);
  return Object.fromEntries(
    entries.map(([key, value]) => [refuseReserved(key), resolveTemplate(value, lookup)]),
  );
}

/** The pointers that a template names, each once. */
export function refsOf(template: Template): readonly string[] {
  return [...new Set(allRefs(template))];
}

/** The step whose output a pointer is about; null when it is about the input. */
export function stepOfRef(pointer: string): string | null {
  const [root, step] = parsePointer(pointer);
  return root === "steps" ? (step ?? null) : null;
}

function allRefs(template: Template): readonly string[] {
  if (isList(template)) return template.flatMap(allRefs);
  if (!isObject(template) || literalIn(template) !== undefined) return [];
  const pointer = pointerIn(template);
  return pointer === null ? Object.values(template).flatMap(allRefs) : [pointer];
}

function child(value: Json | undefined, key: string): Json | undefined {
  if (value === null || value === undefined) return value;
  if (isList(value)) return /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** RFC 6901. */
const parsePointer = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => (part.includes("~") ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part));

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null;

const literalIn = ({ $literal }: { readonly [key: string]: Json }): Json | undefined => $literal;
const pointerIn = ({ $ref }: { readonly [key: string]: Json }): string | null =>
  typeof $ref === "string" ? $ref : null;

function found(value: Json | undefined, pointer: string): Json {
  if (value !== undefined) return value;
  throw new PermanentFault("step.input_unresolvable", `There is nothing at ${pointer}`, {
    details: { pointer },
  });
}

function refuseReserved(key: string): string {
  if (!key.startsWith("$")) return key;
  throw new ContractFault("workflow.invalid", `${key} has no meaning in a template`);
}
