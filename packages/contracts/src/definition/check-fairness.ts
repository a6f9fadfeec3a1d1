import type { FieldFault } from "./check-input.ts";

type Schema = Readonly<Record<string, unknown>>;

/** What a place in the input may hold, so that it can be read as a key or a weight. */
const readable = {
  key: ["string", "integer", "number"],
  weight: ["integer", "number"],
} as const;

/**
 * What is wrong with where a workflow finds the fairness key and weight of its tasks, by the schema
 * of its input.
 */
export function checkFairness(fairness: unknown, inputSchema: unknown): readonly FieldFault[] {
  const pointers = objectOf(fairness);
  return (["key", "weight"] as const).flatMap((part) => {
    const pointer = pointers[part];
    if (typeof pointer !== "string") return [];
    const detail = faultAt(pointer, readable[part], inputSchema);
    return detail === null ? [] : [{ pointer: `/fairness/${part}`, detail }];
  });
}

function faultAt(pointer: string, types: readonly string[], inputSchema: unknown): string | null {
  let place = objectOf(inputSchema);
  for (const part of pointer.split("/").slice(2)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const next = below(place, name);
    if (next === "unknown") return null;
    if (next === "none") return `the input has no ${pointer}`;
    place = next;
  }
  const { type } = place;
  const found = [type].flat().filter((one) => typeof one === "string");
  if (found.length === 0 || found.some((one) => types.includes(one))) return null;
  return `${pointer} is of type ${found.join(" or ")}: it must be ${types.join(" or ")}`;
}

/** The schema of a field; `unknown` where only an input can show it. */
function below(schema: Schema, name: string): Schema | "none" | "unknown" {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null) return "unknown";
  if (Object.hasOwn(properties, name)) return objectOf((properties as Schema)[name]);
  const isOpen = opening.some((keyword) => keyword in schema);
  return isOpen ? "unknown" : "none";
}

/** Keywords that allow fields that `properties` does not name. */
const opening = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "not",
  "$ref",
  "$dynamicRef",
];

const objectOf = (value: unknown): Schema =>
  typeof value === "object" && value !== null ? (value as Schema) : {};
