import { ContractFault, PermanentFault } from "./faults.ts";
import type { Json } from "./json.ts";
import { pointerPart } from "./json-text.ts";
import type { Template } from "./workflow-definition.ts";

/** What a pointer such as `/input/customer` stands for; undefined when there is nothing there. */
export type Lookup = (pointer: string) => Json | undefined;

/** All that the refs of one task can point at. */
export interface TaskValues {
  readonly input: Json;
  /** The output of each step, by the step's name; null for a skipped one. */
  readonly outputs: ReadonlyMap<string, Json>;
}

/**
 * Finds values by pointer. Below a null is null: that is how a skipped step looks to later ones.
 */
export function lookupIn({ input, outputs }: TaskValues): Lookup {
  return (pointer) => {
    const [root, ...path] = parsePointer(pointer);
    if (root === "input") return path.reduce(child, input);
    const [step = "", ...below] = path;
    return root === "steps" ? below.reduce(child, outputs.get(step)) : undefined;
  };
}

/**
 * Finds values as `lookupIn` does, for templates whose steps must have ended. Throws a
 * `PermanentFault` (`step.input_unresolvable`) for a step without an output: that is no value that
 * may be missing.
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

/** What a template says in a word of its own, where it is no plain JSON. */
export type Expression =
  | { readonly kind: "ref"; readonly pointer: string }
  | { readonly kind: "literal"; readonly value: Json }
  /** One text of several parts. Without one of them there is none. */
  | { readonly kind: "concat"; readonly parts: readonly Template[] }
  /** `other`, where `value` is missing or null. */
  | { readonly kind: "fallback"; readonly value: Template; readonly other: Template };

/**
 * Reads the expression that a template is; null: it is plain JSON, perhaps with expressions in it.
 */
export function expressionIn(template: Template): Expression | null {
  if (!isObject(template) || isList(template)) return null;
  const { $literal, $ref, $concat, $fallback } = template;
  if ($literal !== undefined) return { kind: "literal", value: $literal };
  if (typeof $ref === "string") return { kind: "ref", pointer: $ref };
  if ($concat !== undefined && isList($concat)) return { kind: "concat", parts: $concat };
  if ($fallback === undefined || !isList($fallback)) return null;
  const [value = null, other = null] = $fallback;
  return { kind: "fallback", value, other };
}

/**
 * Fills the holes. A value that is missing is left out where it is a field of an object, and is
 * null in a list or where it is all that there is.
 */
export const resolveTemplate = (template: Template, lookup: Lookup): Json =>
  filled(template, lookup) ?? null;

function filled(template: Template, lookup: Lookup): Json | undefined {
  if (isList(template)) return template.map((item) => filled(item, lookup) ?? null);
  if (!isObject(template)) return template;
  const expression = expressionIn(template);
  if (expression !== null) return valueOf(expression, lookup);
  const fields: (readonly [string, Json])[] = [];
  for (const [key, part] of Object.entries(template)) {
    const name = refuseReserved(key);
    const value = filled(part, lookup);
    if (value !== undefined) fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

function valueOf(expression: Expression, lookup: Lookup): Json | undefined {
  switch (expression.kind) {
    case "ref":
      return lookup(expression.pointer);
    case "literal":
      return expression.value;
    case "concat": {
      const parts = expression.parts.map((part) => filled(part, lookup) ?? null);
      return parts.includes(null) ? undefined : parts.map(textOf).join("");
    }
    case "fallback":
      return filled(expression.value, lookup) ?? filled(expression.other, lookup);
  }
}

/** A text as it is; anything else as JSON writes it. */
const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * A place in what a template becomes, as a JSON pointer, and the pointer of a ref that stands
 * there.
 */
export interface RefPlace {
  readonly place: string;
  readonly pointer: string;
}

/** The places of the refs of a template, each as often as it stands there. */
export function refPlaces(template: Template, place = ""): readonly RefPlace[] {
  if (!isObject(template)) return [];
  const expression = expressionIn(template);
  switch (expression?.kind) {
    case "ref":
      return [{ place, pointer: expression.pointer }];
    case "literal":
      return [];
    case "concat":
      return expression.parts.flatMap((part) => refPlaces(part, place));
    case "fallback":
      return [expression.value, expression.other].flatMap((part) => refPlaces(part, place));
    case undefined:
      return Object.entries(template).flatMap(([key, part]) =>
        refPlaces(part, `${place}/${pointerPart(key)}`),
      );
  }
}

/**
 * The pointer of a value that is missing, or null, at a place in what a template becomes, or around
 * which the place lies; null: there is none.
 */
export function missingAt(template: Template, place: string, lookup: Lookup): string | null {
  if (!isObject(template)) return null;
  const expression = expressionIn(template);
  switch (expression?.kind) {
    case "ref": {
      const pointer = expression.pointer + place;
      return (lookup(pointer) ?? null) === null ? pointer : null;
    }
    case "literal":
      return null;
    case "concat":
      return firstOf(expression.parts, (part) => missingAt(part, "", lookup));
    case "fallback": {
      const { value, other } = expression;
      return missingAt((filled(value, lookup) ?? null) === null ? other : value, place, lookup);
    }
    case undefined:
      return firstOf(Object.entries(template), ([key, part]) => {
        const at = `/${pointerPart(key)}`;
        if (isWithin(place, at)) return missingAt(part, place.slice(at.length), lookup);
        return place === "" ? missingAt(part, "", lookup) : null;
      });
  }
}

function firstOf<Item>(all: readonly Item[], find: (item: Item) => string | null): string | null {
  for (const item of all) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** The pointers that a template names, each once. */
export function refsOf(template: Template): readonly string[] {
  return [...new Set(everyRefOf(template))];
}

/** The pointers that a template names, each as often as it is named. */
export const everyRefOf = (template: Template): readonly string[] =>
  refPlaces(template).map(({ pointer }) => pointer);

/** The step whose output a pointer is about; null when it is about the input. */
export function stepOfRef(pointer: string): string | null {
  const [root, step] = parsePointer(pointer);
  return root === "steps" ? (step ?? null) : null;
}

const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(`${outer}/`);

function child(value: Json | undefined, key: string): Json | undefined {
  if (value === null || value === undefined) return value;
  if (isList(value)) return value[indexIn(key) ?? -1];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The index of a list that a key of a pointer is; null: it is none. */
export const indexIn = (key: string): number | null =>
  /^(0|[1-9]\d*)$/.test(key) ? Number(key) : null;

/** The keys of a pointer (RFC 6901). */
export const parsePointer = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => (part.includes("~") ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part));

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null;

function refuseReserved(key: string): string {
  if (!key.startsWith("$")) return key;
  throw new ContractFault("workflow.invalid", `${key} has no meaning in a template`);
}
