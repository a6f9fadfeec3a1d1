import type { Json } from "./json.ts";
import { type Lookup, refsOf, resolveTemplate } from "./template.ts";
import type { Condition, Template } from "./workflow-definition.ts";

/**
 * Whether a step is to be done. What is missing is as in any template, so a valid condition never
 * throws.
 */
export function evaluateCondition(condition: Condition, lookup: Lookup): boolean {
  const value = (template: Template) => resolveTemplate(template, lookup);
  const holds = (part: Condition): boolean => {
    if ("equals" in part) return sameJson(value(part.equals[0]), value(part.equals[1]));
    if ("in" in part) return part.in[1].some((item) => sameJson(value(part.in[0]), value(item)));
    if ("greaterThan" in part)
      return isLess(value(part.greaterThan[1]), value(part.greaterThan[0]));
    if ("lessThan" in part) return isLess(value(part.lessThan[0]), value(part.lessThan[1]));
    if ("exists" in part) return value(part.exists) !== null;
    if ("not" in part) return !holds(part.not);
    return "and" in part ? part.and.every(holds) : part.or.some(holds);
  };
  return holds(condition);
}

/** The pointers that a condition names, each once. */
export function refsOfCondition(condition: Condition): readonly string[] {
  return [...new Set(templatesOf(condition).flatMap(refsOf))];
}

function templatesOf(condition: Condition): readonly Template[] {
  if ("equals" in condition) return condition.equals;
  if ("in" in condition) return [condition.in[0], ...condition.in[1]];
  if ("greaterThan" in condition) return condition.greaterThan;
  if ("lessThan" in condition) return condition.lessThan;
  if ("exists" in condition) return [condition.exists];
  if ("not" in condition) return templatesOf(condition.not);
  return ("and" in condition ? condition.and : condition.or).flatMap(templatesOf);
}

/** Whether both are numbers, and one is less: anything else is neither less nor greater. */
const isLess = (one: Json, other: Json): boolean =>
  typeof one === "number" && typeof other === "number" && one < other;

/** Equal as JSON: the order of keys means nothing. */
function sameJson(one: Json, other: Json): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  if (one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(other).length &&
    entries.every(
      ([key, value]) =>
        Object.hasOwn(other, key) && sameJson(value, Reflect.get(other, key) as Json),
    )
  );
}
