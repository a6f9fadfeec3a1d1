import type { Json } from "@holdfast/domain";

type Schema = { readonly [keyword: string]: Json };

/** Keywords that say nothing about which values are valid. */
const annotations: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** Keywords whose value is a map of schemas by name. */
const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);
/** Keywords whose value is a list in which the order means nothing. */
const unordered: ReadonlySet<string> = new Set([
  "required",
  "enum",
  "type",
  "anyOf",
  "oneOf",
  "allOf",
]);

/**
 * A JSON Schema in one canonical form: two schemas that accept the same values by the same rules
 * become equal, however a schema library prints them. It drops annotations, defaults of keywords,
 * bounds that every payload keeps anyway (integers are exact), and the pattern that a library
 * prints beside a `format`.
 *
 * It compares; it does not validate. Schemas that it does not see as equal may still mean the same.
 */
export function schemaMeaning(schema: Json): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const entries = Object.entries(renamed(schema as Schema))
    .filter(([keyword]) => !annotations.has(keyword))
    .map(([keyword, value]) => [keyword, meaningOf(keyword, value)] as const);
  return sorted(withoutDefaults(onlyType(Object.fromEntries(entries))));
}

/**
 * Draft 7 says `definitions` where later drafts say `$defs`, and `const` where an `enum` of one
 * will do.
 */
function renamed({ definitions, const: only, $ref: ref, ...schema }: Schema): Schema {
  return {
    ...schema,
    ...(definitions === undefined ? {} : { $defs: definitions }),
    ...(only === undefined ? {} : { enum: [only] }),
    ...(typeof ref === "string" ? { $ref: ref.replace("#/definitions/", "#/$defs/") } : {}),
  };
}

function meaningOf(keyword: string, value: Json): Json {
  if (named.has(keyword)) return mapValues(value as Schema, schemaMeaning);
  if (keyword === "enum" || keyword === "required") return orderless(value as readonly Json[]);
  if (keyword === "type") return Array.isArray(value) ? orderless(value) : value;
  if (unordered.has(keyword)) return orderless((value as readonly Json[]).map(schemaMeaning));
  if (Array.isArray(value)) return value.map(schemaMeaning);
  return schemaMeaning(value);
}

/**
 * `anyOf: [{type: a}, {type: b}]` says what `type: [a, b]` says; a list of one type is that type.
 */
function onlyType(schema: Schema): Schema {
  const { anyOf, ...others } = schema;
  const types = Array.isArray(anyOf) ? anyOf.map(loneType) : [];
  const merged =
    types.length > 0 && others["type"] === undefined && types.every((type) => type !== null)
      ? { ...others, type: orderless(types) }
      : schema;
  const { type } = merged;
  return Array.isArray(type) && type.length === 1 ? { ...merged, type: type[0]! } : merged;
}

function loneType(schema: Json): Json {
  const keywords = Object.keys(schema as Schema);
  return keywords.length === 1 && keywords[0] === "type"
    ? ((schema as Schema)["type"] ?? null)
    : null;
}

function withoutDefaults(schema: Schema): Schema {
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...others } = schema;
  const inclusive =
    schema["type"] === "integer"
      ? {
          ...(isNumber(above) ? { minimum: above + 1 } : {}),
          ...(isNumber(below) ? { maximum: below - 1 } : {}),
        }
      : {
          ...(above === undefined ? {} : { exclusiveMinimum: above }),
          ...(below === undefined ? {} : { exclusiveMaximum: below }),
        };
  return Object.fromEntries(
    Object.entries({ ...others, ...inclusive }).filter(
      ([keyword, value]) => !saysNothing(keyword, value, schema),
    ),
  );
}

const isNumber = (value: Json | undefined): value is number => typeof value === "number";

function saysNothing(keyword: string, value: Json, { type, format }: Schema): boolean {
  switch (keyword) {
    case "minimum":
      return type === "integer" && (value as number) <= Number.MIN_SAFE_INTEGER;
    case "maximum":
      return type === "integer" && (value as number) >= Number.MAX_SAFE_INTEGER;
    case "additionalProperties":
      return value === true || isEmpty(value);
    case "required":
      return isEmpty(value);
    case "propertyNames":
      return JSON.stringify(value) === '{"type":"string"}' || isEmpty(value);
    case "pattern":
      return format !== undefined;
    default:
      return false;
  }
}

const isEmpty = (value: Json): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

const mapValues = (map: Schema, change: (value: Json) => Json): Schema =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

const orderless = (values: readonly Json[]): readonly Json[] =>
  values
    .map((value) => [JSON.stringify(value), value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);

const sorted = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).toSorted(([a], [b]) => (a < b ? -1 : 1)));
