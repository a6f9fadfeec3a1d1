import type { Json } from "@holdfast/domain";
import { is2020 } from "../definition/schema-compiler.ts";
import { newer } from "../schema/dialect.ts";
import type { LinearPattern } from "../schema/linear-pattern.ts";
import { openMeter } from "../schema/meter.ts";
import { readPlainSchema } from "../schema/plain-schema.ts";
import { costKeyword } from "../schema/schema-costs.ts";
import { isObject, type JsonSchema, own } from "../schema/schema-keywords.ts";

/** What a definition may take to be followed. Where it is used up, nothing more is known. */
export interface Budget {
  /** Steps, each a part of a schema that is looked at: some 5 microseconds. */
  steps: number;
}

/** Whether so many steps are still there. */
export function spend(budget: Budget, steps: number): boolean {
  budget.steps -= steps;
  return budget.steps >= 0;
}

/**
 * A schema as its check reads it: what the check ignores is not there, and references are within.
 */
export interface SchemaReader {
  readonly root: Json;
  /** Whether `items` and `dependentRequired` mean what they mean in 2020-12. */
  readonly is2020: boolean;
  readonly patterns: ReadonlyMap<string, LinearPattern>;
}

/** A schema that allows everything: of what nothing is known. */
const anything: SchemaReader = { root: true, is2020: false, patterns: new Map() };

/**
 * Reads a schema of a definition. One that no release could compile is never checked, and allows
 * everything.
 */
export function readSchema(schema: JsonSchema | undefined): SchemaReader {
  if (schema === undefined) return anything;
  try {
    const meter = openMeter();
    // Patterns take time by the text alone, and the texts here are names of fields.
    meter.begin(Number.POSITIVE_INFINITY);
    const { schema: root, patterns } = readPlainSchema(schema, meter);
    return { root, patterns, is2020: is2020(schema) };
  } catch {
    return anything;
  }
}

/** A keyword of a schema, if its check looks at it. */
export const keywordOf = (
  reader: SchemaReader,
  schema: JsonSchema,
  keyword: string,
): Json | undefined => (newer.has(keyword) && !reader.is2020 ? undefined : own(schema, keyword));

export function listOf(reader: SchemaReader, schema: JsonSchema, keyword: string): readonly Json[] {
  const value = keywordOf(reader, schema, keyword);
  return Array.isArray(value) ? value : [];
}

export function mapOf(reader: SchemaReader, schema: JsonSchema, keyword: string): JsonSchema {
  const value = keywordOf(reader, schema, keyword);
  return isObject(value) ? value : {};
}

/** What a reference stands for. */
export function targetOf({ root }: SchemaReader, schema: JsonSchema): Json | undefined {
  const ref = own(schema, "$ref");
  if (typeof ref !== "string") return undefined;
  if (ref === "#") return root;
  return (own(root as JsonSchema, "$defs") as JsonSchema)[ref.slice("#/$defs/".length)];
}

/** Whether a part of a schema allows values of a type. */
export function allowsType(reader: SchemaReader, schema: JsonSchema, type: string): boolean {
  const types = textsIn([own(schema, "type") ?? []].flat()).map(nameOfType);
  const isNamed =
    types.length === 0 ||
    types.includes(type) ||
    (type === "null" && own(schema, "nullable") === true);
  const only = own(schema, "const");
  const values = keywordOf(reader, schema, "enum");
  return (
    isNamed &&
    (only === undefined || typeOfValue(only) === type) &&
    (!Array.isArray(values) || values.some((value: Json) => typeOfValue(value) === type))
  );
}

/** Whether a part of a schema says of which types values are. */
export const saysTypes = (schema: JsonSchema): boolean =>
  ["type", "const", "enum"].some((keyword) => own(schema, keyword) !== undefined);

/** The texts among values. */
export const textsIn = (values: readonly Json[]): readonly string[] =>
  values.filter((value) => typeof value === "string");

const nameOfType = (type: string): string => (type === "integer" ? "number" : type);

export function typeOfValue(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whether a schema allows everything. */
export const isTrivial = (schema: Json): boolean =>
  schema === true ||
  (isObject(schema) && Object.keys(schema).every((keyword) => keyword === costKeyword));

/** The name of a field, or the place of an element in a list: `each` is any element, whichever. */
export type Key = string | number;
export const each = -1;

/** A name that no schema knows: it stands for any other field. */
export const anyOther = "\u0000";

/** What stands before a pattern, for any field whose name fits it and that no schema names. */
const fittingMark = "\u0002";
const anyFitting = (pattern: string): string => `${fittingMark}${pattern}`;

/** Stand for the fields that schemas know by patterns of their names. */
export const patternsIn = (reader: SchemaReader, schema: JsonSchema): readonly string[] =>
  Object.keys(mapOf(reader, schema, "patternProperties")).map(anyFitting);

/**
 * Whether a key stands for fields that fit a pattern: whether they fit another one, too, is not
 * known.
 */
export const isFitting = (key: Key): boolean =>
  typeof key === "string" && key.startsWith(fittingMark);

/** Whether a key stands for more than one field or element. */
export const isSeveral = (key: Key): boolean => key === each || key === anyOther || isFitting(key);

/**
 * The schemas that a schema itself has for a field, each of which a field of that name is held to.
 */
export function schemasOfField(
  reader: SchemaReader,
  schema: JsonSchema,
  name: string,
): readonly Json[] {
  if (isFitting(name)) {
    const patterns = mapOf(reader, schema, "patternProperties");
    const same = own(patterns, name.slice(fittingMark.length));
    if (same !== undefined) return [same];
    return Object.keys(patterns).length === 0 ? othersOf(schema) : [];
  }
  const properties = mapOf(reader, schema, "properties");
  const named = Object.hasOwn(properties, name) ? [properties[name]!] : [];
  const matching = Object.entries(mapOf(reader, schema, "patternProperties"))
    .filter(([source]) => reader.patterns.get(source)?.test(name) === true)
    .map(([, part]) => part);
  const all = [...named, ...matching];
  return all.length > 0 ? all : othersOf(schema);
}

const othersOf = (schema: JsonSchema): readonly Json[] => {
  const others = own(schema, "additionalProperties");
  return others === undefined ? [] : [others];
};

/**
 * The schemas of a field, with those that fields of that name may be held to: a name may fit two
 * patterns.
 */
export const schemasPossibleFor = (
  reader: SchemaReader,
  schema: JsonSchema,
  name: string,
): readonly Json[] =>
  isFitting(name)
    ? [...Object.values(mapOf(reader, schema, "patternProperties")), ...othersOf(schema)]
    : schemasOfField(reader, schema, name);

/**
 * The schemas that a schema itself has for an element; for `each` those of which one may be meant.
 */
export function schemasOfElement(
  reader: SchemaReader,
  schema: JsonSchema,
  index: number,
): readonly Json[] {
  const items = own(schema, "items");
  const first = reader.is2020
    ? listOf(reader, schema, "prefixItems")
    : Array.isArray(items)
      ? items
      : [];
  const others = !reader.is2020 && Array.isArray(items) ? own(schema, "additionalItems") : items;
  const rest = others === undefined || Array.isArray(others) ? [] : [others];
  if (index === each) return [...first, ...rest];
  return index < first.length ? [first[index]!] : rest;
}
