import type { Json } from "@holdfast/domain";
import { isFields } from "./read-parts.ts";

/** A value that a JSON Schema most likely accepts: the shortest. For replies that a case leaves out. */
export function sampleOutput(schema: Json | undefined): Json {
  if (!isFields(schema)) return null;
  const { const: only, default: usual, examples, enum: values, anyOf, oneOf, type } = schema;
  if (only !== undefined) return only;
  if (usual !== undefined) return usual;
  for (const list of [examples, values]) if (Array.isArray(list) && list.length > 0) return list[0];
  for (const list of [anyOf, oneOf]) if (Array.isArray(list)) return sampleOutput(list[0]);
  return sampleOf(Array.isArray(type) ? type[0] : (type ?? null), schema);
}

function sampleOf(type: unknown, schema: Readonly<Record<string, Json>>): Json {
  switch (type) {
    case "object":
      return sampleObject(schema);
    case "array":
      return Array.from({ length: numberOf(schema["minItems"]) }, () =>
        sampleOutput(schema["items"]),
      );
    case "string":
      return sampleText(schema);
    case "integer":
    case "number":
      return sampleNumber(schema);
    case "boolean":
      return true;
    default:
      return schema["properties"] === undefined ? null : sampleObject(schema);
  }
}

function sampleObject({ properties, required }: Readonly<Record<string, Json>>): Json {
  const wanted: readonly Json[] = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(isFields(properties) ? properties : {})
      .filter(([name]) => wanted.includes(name))
      .map(([name, part]) => [name, sampleOutput(part)]),
  );
}

const texts: Readonly<Record<string, string>> = {
  uuid: "00000000-0000-4000-8000-000000000000",
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  email: "ada@example.org",
  uri: "https://example.org/",
};

function sampleText({ format, minLength }: Readonly<Record<string, Json>>): string {
  const known = typeof format === "string" ? texts[format] : undefined;
  return known ?? "sample".padEnd(numberOf(minLength), "x");
}

function sampleNumber({ minimum, exclusiveMinimum, maximum }: Readonly<Record<string, Json>>) {
  const least =
    typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : numberOf(minimum ?? 1);
  return typeof maximum === "number" ? Math.min(maximum, least) : least;
}

const numberOf = (json: Json | undefined): number => (typeof json === "number" ? json : 0);
