/** What is wrong with a ref; null: nothing. */
type RefCheck = (ref: unknown) => string | null;

/** What is wrong with a template of a workflow, whatever its refs point at. */
export const checkTemplate = (template: unknown): readonly string[] =>
  checkTemplateOf(template, (ref) =>
    isPointer(ref) ? null : `$ref must be /input/… or /steps/<name>/…: ${JSON.stringify(ref)}`,
  );

/** What is wrong with a template whose refs are held to a rule of their own. */
export function checkTemplateOf(template: unknown, checkRef: RefCheck): readonly string[] {
  if (typeof template !== "object" || template === null) return [];
  const keys = Object.keys(template);
  const reserved = Array.isArray(template) ? [] : keys.filter((key) => key.startsWith("$"));
  if (reserved.length === 0) return checkAll(Object.values(template), checkRef);
  if (keys.length > 1) return [`${reserved.join(" and ")} must stand alone: found ${keys.join()}`];
  if ("$literal" in template) return [];
  if ("$concat" in template) return checkConcat(template.$concat, checkRef);
  if ("$fallback" in template) return checkFallback(template.$fallback, checkRef);
  if (!("$ref" in template)) return [`unknown key ${reserved.join()}`];
  const fault = checkRef(template.$ref);
  return fault === null ? [] : [fault];
}

const checkAll = (templates: readonly unknown[], checkRef: RefCheck): readonly string[] =>
  templates.flatMap((one) => checkTemplateOf(one, checkRef));

const checkConcat = (parts: unknown, checkRef: RefCheck): readonly string[] =>
  Array.isArray(parts) && parts.length > 0 && parts.every(isPartOfText)
    ? checkAll(parts, checkRef)
    : ["$concat takes a list of texts, numbers, truth values and places of such"];

const checkFallback = (content: unknown, checkRef: RefCheck): readonly string[] =>
  isPair(content) && isExpression(content[0])
    ? checkAll(content, checkRef)
    : ["$fallback takes the place of a value, and what stands for it where there is none"];

const isPartOfText = (part: unknown): boolean =>
  ["string", "number", "boolean"].includes(typeof part) || isExpression(part);

/** Whether it leads to what may be any value. */
const isExpression = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  ["$ref", "$concat", "$fallback"].some((word) => word in value);

/** What is wrong with a condition, whatever its refs point at. */
export function checkCondition(condition: unknown): readonly string[] {
  const [[kind, content] = [], ...others] = Object.entries(condition ?? {}) as [string, unknown][];
  if (typeof condition !== "object" || kind === undefined || others.length > 0)
    return ["a condition is one of equals, in, greaterThan, lessThan, exists, not, and, or"];
  switch (kind) {
    case "equals":
      return isPair(content) ? content.flatMap(checkTemplate) : ["equals takes two values"];
    case "in":
      return isPair(content) && Array.isArray(content[1])
        ? content.flatMap(checkTemplate)
        : ["in takes a value and a list"];
    case "greaterThan":
    case "lessThan":
      return isPair(content) && content.every(mayBeNumber)
        ? content.flatMap(checkTemplate)
        : [`${kind} takes two numbers, or places of numbers`];
    case "exists":
      return checkTemplate(content);
    case "not":
      return checkCondition(content);
    case "and":
    case "or":
      return Array.isArray(content) ? content.flatMap(checkCondition) : [`${kind} takes a list`];
    default:
      return [`unknown condition ${kind}`];
  }
}

const isPointer = (value: unknown): boolean =>
  typeof value === "string" && /^\/(input(\/.*)?|steps\/[^/]+(\/.*)?)$/su.test(value);

/** Whether it is a number, or leads to what may be one. */
const mayBeNumber = (value: unknown): boolean =>
  typeof value === "number" ||
  (typeof value === "object" && value !== null && ("$ref" in value || "$fallback" in value));

const isPair = (value: unknown): value is readonly [unknown, unknown] =>
  Array.isArray(value) && value.length === 2;
