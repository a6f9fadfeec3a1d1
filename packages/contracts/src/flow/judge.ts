import { expressionIn, type Json, type Template } from "@holdfast/domain";
import { costKeyword } from "../schema/schema-costs.ts";
import { isObject, type JsonSchema, own } from "../schema/schema-keywords.ts";
import {
  allowsType,
  type Budget,
  keywordOf,
  listOf,
  type SchemaReader,
  schemasOfField,
  spend,
  targetOf,
  textsIn,
  typeOfValue,
} from "./schema-reader.ts";

/** What a template is judged by. */
export interface Judging {
  readonly reader: SchemaReader;
  /** Whether the value of a ref is always there. */
  readonly isSure: (pointer: string) => boolean;
  readonly budget: Budget;
}

/** A part of a template; undefined: below a ref, where only values say what there is. */
export type Part = Template | undefined;

export type Verdict = boolean | null;

/**
 * Whether what a template becomes fits, whatever values its refs have and whether they have any;
 * null: that depends.
 */
export function judge(judging: Judging, schema: Json, part: Part): Verdict {
  if (typeof schema === "boolean") return schema;
  if (!isObject(schema) || !spend(judging.budget, 1)) return null;
  const { reader } = judging;
  const recur = (one: Json): Verdict => judge(judging, one, part);
  const target = targetOf(reader, schema);
  const condition = own(schema, "if");
  const holds = condition === undefined ? null : recur(condition);
  return every([
    target === undefined ? true : recur(target),
    ...listOf(reader, schema, "allOf").map(recur),
    ...["anyOf", "oneOf"].map((keyword): Verdict => {
      const verdicts = listOf(reader, schema, keyword).map(recur);
      if (verdicts.length === 0) return true;
      if (verdicts.every((verdict) => verdict === false)) return false;
      if (keyword === "anyOf") return verdicts.includes(true) ? true : null;
      const fitting = verdicts.filter((verdict) => verdict === true).length;
      if (fitting > 1) return false;
      return fitting === 1 && !verdicts.includes(null) ? true : null;
    }),
    own(schema, "not") === undefined ? true : opposite(recur(own(schema, "not")!)),
    condition === undefined
      ? true
      : holds === null
        ? null
        : recur(own(schema, holds ? "then" : "else") ?? true),
    judgeItself(judging, schema, part),
  ]);
}

const opposite = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict);

function every(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(false)) return false;
  return verdicts.includes(null) ? null : true;
}

/** Keywords that `judgeItself` and `judge` look at. */
const judged: ReadonlySet<string> = new Set(
  "$ref additionalProperties allOf anyOf const costs else enum if not nullable oneOf properties required then type".split(
    " ",
  ),
);

function judgeItself(judging: Judging, schema: JsonSchema, part: Part): Verdict {
  const { reader } = judging;
  if (part === undefined || isOpen(part)) {
    return Object.keys(schema).every((word) => isSilent(word) || composing.has(word)) ? true : null;
  }
  const value = valueOf(part);
  if (!allowsType(reader, schema, typeOfValue(value))) return false;
  const isKnown = Object.keys(schema).every((word) => isSilent(word) || judged.has(word));
  const [only, values] = [own(schema, "const"), keywordOf(reader, schema, "enum")];
  if (typeof value !== "object" || value === null) {
    const isListed =
      (only === undefined || only === value) && (!Array.isArray(values) || values.includes(value));
    if (!isListed) return false;
    // A whole number and another have one type here.
    return isKnown && typeof value !== "number" ? true : null;
  }
  if (only !== undefined || values !== undefined) return null;
  if (!isObject(value)) return isKnown ? true : null;
  const required = textsIn(listOf(reader, schema, "required")).map((name) =>
    hasField(judging, part, name),
  );
  const fields = Object.keys(value).map((name): Verdict => {
    const verdicts = schemasOfField(reader, schema, name).map((one) =>
      judge(judging, one, fieldOf(part, name)),
    );
    const verdict = every(verdicts);
    // A field that is wrong may not be there.
    return verdict === false && hasField(judging, part, name) === null ? null : verdict;
  });
  return every([...required, ...fields, isKnown ? true : null]);
}

const composing: ReadonlySet<string> = new Set(
  "$ref allOf anyOf else if not oneOf then".split(" "),
);

/** Whether only values say what a template becomes. */
export function isOpen(part: Template): boolean {
  const expression = expressionIn(part);
  return expression !== null && expression.kind !== "literal";
}

export function valueOf(part: Template): Json {
  const expression = expressionIn(part);
  return expression?.kind === "literal" ? expression.value : part;
}

/** A field of a template; of a literal the literal field. */
export function fieldOf(part: Part, name: string): Part {
  if (part === undefined || isOpen(part)) return undefined;
  const value = valueOf(part);
  if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
  return value === part ? value[name] : { $literal: value[name]! };
}

/** Whether an object has a field; null: that depends on values. */
export function hasField(judging: Judging, part: Part, name: string): boolean | null {
  if (part === undefined || isOpen(part)) return null;
  const value = valueOf(part);
  if (!isObject(value) || !Object.hasOwn(value, name)) return false;
  return value !== part || isAlways(judging, value[name]!) ? true : null;
}

/** Whether a template always becomes a value, be it null. */
function isAlways(judging: Judging, part: Template): boolean {
  const expression = expressionIn(part);
  switch (expression?.kind) {
    case "ref":
      return judging.isSure(expression.pointer);
    // Null is no text.
    case "concat":
      return expression.parts.every((one) => !isOpen(one));
    case "fallback":
      return isAlways(judging, expression.other);
    case "literal":
    case undefined:
      return true;
  }
}

/** Keywords that say nothing of a value. */
export const isSilent = (keyword: string): boolean =>
  keyword === costKeyword || keyword === "$defs";
