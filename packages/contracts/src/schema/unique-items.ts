import { canonicalJson } from "@holdfast/domain";
import type { FuncKeywordDefinition } from "ajv";
import type { Meter } from "./meter.ts";

/**
 * The keyword `uniqueItems`, in time that grows with the text of the items. Ajv compares each item with each other,
 * unless it knows from the schema that all are texts or numbers.
 */
export function uniqueItems(meter: Meter): FuncKeywordDefinition {
  const validate: FuncKeywordDefinition["validate"] = (isAsked: boolean, items: unknown[]) => {
    if (!isAsked) return true;
    const places = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const text = canonicalJson(item);
      meter.spend(8 + text.length);
      const other = places.get(text);
      if (other !== undefined) {
        const message = `must NOT have duplicate items (items ## ${other} and ${index} are identical)`;
        validate!.errors = [{ keyword: "uniqueItems", message, params: { i: index, j: other } }];
        return false;
      }
      places.set(text, index);
    }
    return true;
  };
  return { keyword: "uniqueItems", type: "array", schemaType: "boolean", validate, errors: true };
}
