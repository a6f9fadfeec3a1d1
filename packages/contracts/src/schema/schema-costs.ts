import type { Json } from "@holdfast/domain";
import { type JsonSchema, lengthOf } from "./schema-keywords.ts";

/** The keyword under which each part of a plain schema has its costs. */
export const costKeyword = "costs";

/** Steps of the check of one value by one part of a schema, without the parts below it. */
export interface Costs {
  readonly always: number;
  readonly perItem: number;
  readonly perKey: number;
  readonly perCharacter: number;
}

/**
 * What the check of one value by one part costs. With `seen`, the names that parts have seen are
 * merged wherever parts are joined.
 */
export function costsOf(part: JsonSchema, seen: number): Costs {
  const has = (keyword: string): number => Number(part[keyword] !== undefined);
  const fields = Object.keys((part["properties"] as object | undefined) ?? {}).length;
  const patterns = Object.keys((part["patternProperties"] as object | undefined) ?? {}).length;
  const dependencies =
    Object.keys((part["dependencies"] as object | undefined) ?? {}).length +
    Object.keys((part["dependentSchemas"] as object | undefined) ?? {}).length;
  const joined =
    lengthOf(part["allOf"]) +
    lengthOf(part["anyOf"]) +
    lengthOf(part["oneOf"]) +
    has("$ref") +
    has("if") * 3 +
    has("dependentSchemas");
  const values = weightOf(part["enum"]) + weightOf(part["const"]);
  const always =
    4 + fields + lengthOf(part["required"]) + dependencies + joined * (1 + seen) + values;
  return {
    always,
    perItem: has("items") + has("contains") + has("additionalItems") + has("unevaluatedItems"),
    perKey:
      has("additionalProperties") * (1 + Math.min(fields, 8)) +
      patterns +
      has("propertyNames") +
      has("unevaluatedProperties") * (1 + seen) +
      has("minProperties") +
      has("maxProperties"),
    perCharacter: (has("minLength") + has("maxLength")) / 8 + has("format"),
  };
}

/** How long it takes to compare with a value, whatever it is compared with. */
function weightOf(value: Json | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === "string") return 1 + value.length / 64;
  if (typeof value !== "object" || value === null) return 1;
  return Object.entries(value).reduce(
    (sum, [key, part]: [string, Json]) => sum + 2 + key.length / 64 + weightOf(part),
    8,
  );
}
