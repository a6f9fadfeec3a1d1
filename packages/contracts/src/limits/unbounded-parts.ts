import { composing } from "../schema/schema-keywords.ts";
import { limits } from "./limits.ts";
import { loweredMark, payloadMark } from "./parts.ts";

interface JsonSchema {
  readonly [keyword: string]: unknown;
}

interface UnboundedOptions {
  /** The largest whole number that may be stored. */
  readonly largest?: number;
}

/**
 * The parts of a JSON Schema that let in something of any size: texts without a longest length,
 * numbers beyond what the state store keeps that are not said to be lowered, lists without an end,
 * and JSON that `payloadFaults` is not said to bound. Empty: everything has its bounds.
 */
export function unboundedParts(
  schema: unknown,
  { largest = limits.integer }: UnboundedOptions = {},
): readonly string[] {
  const visit = (part: JsonSchema, path: string): readonly string[] => {
    if (part["$comment"] === payloadMark || "const" in part || "enum" in part) return [];
    const choices = composing.flatMap((keyword) => schemasIn(part[keyword]));
    if (choices.length > 0) return choices.flatMap((choice) => visit(choice, path));
    const types = [part["type"]].flat();
    return types.flatMap((type) => visitType(String(type), part, path));
  };

  const visitType = (type: string, part: JsonSchema, path: string): readonly string[] => {
    switch (type) {
      case "boolean":
      case "null":
        return [];
      case "string":
        return isLength(part["maxLength"]) ? [] : [`${path}: a text without maxLength`];
      case "integer":
      case "number":
        return isWithin(part, largest) ? [] : [`${path}: a number without bounds`];
      case "array":
        return [
          ...(isLength(part["maxItems"]) ? [] : [`${path}: a list without maxItems`]),
          ...visit((part["items"] ?? {}) as JsonSchema, `${path}/*`),
        ];
      case "object":
        return visitObject(part, path);
      default:
        return [`${path}: anything at all`];
    }
  };

  const visitObject = (part: JsonSchema, path: string): readonly string[] => {
    const named = Object.entries((part["properties"] ?? {}) as Record<string, JsonSchema>);
    const matched = Object.values((part["patternProperties"] ?? {}) as Record<string, JsonSchema>);
    const others = part["additionalProperties"];
    return [
      ...named.flatMap(([name, inner]) => visit(inner, `${path}/${name}`)),
      ...matched.flatMap((inner) => visit(inner, `${path}/{}`)),
      ...(typeof others === "object" ? visit(others as JsonSchema, `${path}/{}`) : []),
    ];
  };

  return visit(schema as JsonSchema, "");
}

const schemasIn = (list: unknown): readonly JsonSchema[] =>
  Array.isArray(list) ? (list as readonly JsonSchema[]) : [];

const isLength = (bound: unknown): boolean =>
  typeof bound === "number" && bound <= limits.messageBytes;

function isWithin(part: JsonSchema, largest: number): boolean {
  const { minimum, maximum } = part;
  const isLowered = part["$comment"] === loweredMark && maximum === undefined;
  return (
    typeof minimum === "number" &&
    minimum >= -largest &&
    (isLowered || (typeof maximum === "number" && maximum <= largest))
  );
}
