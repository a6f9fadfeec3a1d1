/** What is wrong with a template, whatever its refs point at. */
export function checkTemplate(template: unknown): readonly string[] {
  if (Array.isArray(template)) return template.flatMap(checkTemplate);
  if (typeof template !== "object" || template === null) return [];
  const keys = Object.keys(template);
  const reserved = keys.filter((key) => key.startsWith("$"));
  if (reserved.length === 0) return Object.values(template).flatMap(checkTemplate);
  if (keys.length > 1) return [`${reserved.join(" and ")} must stand alone: found ${keys.join()}`];
  if ("$literal" in template) return [];
  if ("$concat" in template) return checkConcat(template.$concat);
  if ("$fallback" in template) return checkFallback(template.$fallback);
  if (!("$ref" in template)) return [`unknown key ${reserved.join()}`];
  return isPointer(template.$ref)
    ? []
    : [`$ref must be /input/… or /steps/<name>/…: ${JSON.stringify(template.$ref)}`];
}

function checkConcat(parts: unknown): readonly string[] {
  return Array.isArray(parts) && parts.length > 0 && parts.every(isPartOfText)
    ? parts.flatMap(checkTemplate)
    : ["$concat takes a list of texts, numbers, truth values and places of such"];
}

function checkFallback(content: unknown): readonly string[] {
  return isPair(content) && isExpression(content[0])
    ? content.flatMap(checkTemplate)
    : ["$fallback takes the place of a value, and what stands for it where there is none"];
}

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
