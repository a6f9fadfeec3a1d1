import { ContractFault, PermanentFault } from "./faults.ts";
import type { Json } from "./json.ts";
import type { Template } from "./workflow-definition.ts";

/** What a pointer such as `/input/customer` stands for; undefined when there is nothing there. */
export type Lookup = (pointer: string) => Json | undefined;

/** All that the refs of one task can point at. */
export interface TaskValues {
  readonly input: Json;
  /** The output of each step, by the step's name; null for a skipped one. */
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

/**
 * Finds values as `lookupIn` does, for templates whose steps must have ended. Throws a `PermanentFault`
 * (`step.input_unresolvable`) for a step without an output: that is no value that may be missing.
 */
export function lookupInEnded(values: TaskValues): Lookup {
  const lookup = lookupIn(values);
  return (pointer) => {
    const value = lookup(pointer);
    const step = value === undefined ? stepOfRef(pointer) : null;
    if (step === null || values.outputs.has(step)) return value;
    throw new PermanentFault(
      "step.input_unresolvable",
      `Step ${step} has no output, which ${pointer} refers to`,
      { details: { pointer } },
    );
  };
}

/**
 * Fills the holes. A value that is missing is left out where it is a field of an object, and is null in a list or
 * where it is all that there is.
 */
export const resolveTemplate = (template: Template, lookup: Lookup): Json =>
  filled(template, lookup) ?? null;

function filled(template: Template, lookup: Lookup): Json | undefined {
  if (isList(template)) return template.map((item) => filled(item, lookup) ?? null);
  if (!isObject(template)) return template;
  const pointer = pointerIn(template);
  if (pointer !== null) return lookup(pointer);
  const literal = literalIn(template);
  if (literal !== undefined) return literal;
  const fields: (readonly [string, Json])[] = [];
  for (const [key, part] of Object.entries(template)) {
    const name = refuseReserved(key);
    const value = filled(part, lookup);
    if (value !== undefined) fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

/** A place in what a template becomes, as a JSON pointer, and the pointer of the ref that stands there. */
export interface RefPlace {
  readonly place: string;
  readonly pointer: string;
}

/** The places of the refs of a template, each as often as it stands there. */
export function refPlaces(template: Template, place = ""): readonly RefPlace[] {
  if (!isObject(template)) return [];
  if (!isList(template)) {
    if (literalIn(template) !== undefined) return [];
    const pointer = pointerIn(template);
    if (pointer !== null) return [{ place, pointer }];
  }
  return Object.entries(template).flatMap(([key, part]) =>
    refPlaces(part, `${place}/${pointerPart(key)}`),
  );
}

/**
 * The pointer of a value that is missing, or null, at a place in what a template becomes, or around which the place
 * lies; null: there is none.
 */
export function missingAt(template: Template, place: string, lookup: Lookup): string | null {
  for (const ref of refPlaces(template)) {
    const isAbove = isWithin(place, ref.place);
    const pointer = isAbove ? ref.pointer + place.slice(ref.place.length) : ref.pointer;
    if ((isAbove || isWithin(ref.place, place)) && (lookup(pointer) ?? null) === null) {
      return pointer;
    }
  }
  return null;
}

/** The pointers that a template names, each once. */
export function refsOf(template: Template): readonly string[] {
  return [...new Set(everyRefOf(template))];
}

/** The pointers that a template names, each as often as it is named. */
export function everyRefOf(template: Template): readonly string[] {
  if (isList(template)) return template.flatMap(everyRefOf);
  if (!isObject(template) || literalIn(template) !== undefined) return [];
  const pointer = pointerIn(template);
  return pointer === null ? Object.values(template).flatMap(everyRefOf) : [pointer];
}

/** The step whose output a pointer is about; null when it is about the input. */
export function stepOfRef(pointer: string): string | null {
  const [root, step] = parsePointer(pointer);
  return root === "steps" ? (step ?? null) : null;
}

const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(`${outer}/`);

function child(value: Json | undefined, key: string): Json | undefined {
  if (value === null || value === undefined) return value;
  if (isList(value)) return /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The keys of a pointer (RFC 6901). */
export const parsePointer = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => (part.includes("~") ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part));

/** One key as a part of a pointer. */
const pointerPart = (key: string): string =>
  /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null;

const literalIn = ({ $literal }: { readonly [key: string]: Json }): Json | undefined => $literal;
const pointerIn = ({ $ref }: { readonly [key: string]: Json }): string | null =>
  typeof $ref === "string" ? $ref : null;

function refuseReserved(key: string): string {
  if (!key.startsWith("$")) return key;
  throw new ContractFault("workflow.invalid", `${key} has no meaning in a template`);
}
