import type { Json } from "@holdfast/domain";
import type { JsonSchema } from "./schema-keywords.ts";

/** Properties, or alternatives, in one function. */
const mostInFunction = 25;

/**
 * Puts what a part has many of into functions of their own: a function takes time to compile by its square.
 * `apart` puts a schema there, and says how to refer to it.
 */
export function divideSchema(part: JsonSchema, apart: (schema: JsonSchema) => Json): JsonSchema {
  const result: Record<string, Json> = { ...part };
  for (const keyword of ["allOf", "anyOf"]) {
    const options = part[keyword];
    if (!Array.isArray(options) || options.length <= mostInFunction) continue;
    result[keyword] = chunksOf(options).map((some) => apart({ [keyword]: some }));
  }
  const properties = Object.entries((part["properties"] as JsonSchema | undefined) ?? {});
  if (properties.length <= mostInFunction) return result;
  const chunks = chunksOf(properties).map((some) =>
    apart({ properties: Object.fromEntries(some) }),
  );
  const others = Array.isArray(result["allOf"]) ? (result["allOf"] as readonly Json[]) : [];
  // Their names stay: they are no additional ones.
  const names = Object.fromEntries(properties.map(([name]) => [name, true]));
  return { ...result, properties: names, allOf: [...others, ...chunks] };
}

const chunksOf = <Item>(all: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(all.length / mostInFunction) }, (_, index) =>
    all.slice(index * mostInFunction, (index + 1) * mostInFunction),
  );
