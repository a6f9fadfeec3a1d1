import { expressionIn, type Json, type Template } from "@holdfast/domain";
import { schemaMeaning } from "../definition/schema-meaning.ts";
import { escaped, isObject, type JsonSchema, own } from "../schema/schema-keywords.ts";
import type { OperationContract } from "./operation-contract.ts";

/**
 * Why an Agent with one contract cannot do what a workflow with another asks for.
 *
 * - `requires`: the Agent needs a field that the workflow does not give.
 * - `drops`: the Agent knows nothing of a field that the workflow gives.
 * - `keeps`: the Agent may not return a field that the workflow relies on.
 * - `type`: the same field is of another type on both sides.
 */
export interface ContractGap {
  readonly kind: "requires" | "drops" | "keeps" | "type";
  /** Whether it is about what the operation takes, or what it returns. */
  readonly of: "input" | "output";
  /** The field, as a JSON pointer. */
  readonly pointer: string;
}

export interface Offered {
  /** What the workflow was made with. */
  readonly needed: OperationContract;
  /** What the Agent has. */
  readonly offered: OperationContract;
  /** What the steps of the workflow are given. Absent: whatever the contract allows. */
  readonly given?: readonly Template[];
  /**
   * Whether the Agent's contract is the later one: then it leaves a field out on purpose. False
   * unless said.
   */
  readonly isLater?: boolean;
}

/**
 * What certainly keeps an Agent from doing what a workflow asks for. Empty: nothing is known to.
 * Only objects, lists and types are compared; what a choice or a pattern makes of a value, the
 * Agent sees when it has the value.
 */
export function contractGaps({
  needed,
  offered,
  given = [wholly],
  isLater = false,
}: Offered): readonly ContractGap[] {
  const taken = given.flatMap((template) =>
    gapsBetween(needed.input, offered.input, { of: "input", template, reportsDrops: !isLater }),
  );
  const returned = gapsBetween(offered.output, needed.output, {
    of: "output",
    template: wholly,
    reportsDrops: false,
  });
  const all = [...taken, ...returned];
  return [...new Map(all.map((gap) => [`${gap.kind} ${gap.of} ${gap.pointer}`, gap])).values()];
}

/**
 * Gaps that a field which an Agent newly needs, or another type of one, opens for workflows that
 * know nothing of it.
 */
export const isBreaking = ({ kind, of }: ContractGap): boolean =>
  of === "input" && (kind === "requires" || kind === "type");

/** The gap in words, about an instance of the Agent. */
export function gapText({ kind, of, pointer }: ContractGap): string {
  switch (kind) {
    case "requires":
      return `needs ${pointer}, which the workflow does not give`;
    case "drops":
      return `knows nothing of ${pointer}, which the workflow gives`;
    case "keeps":
      return `may not return ${pointer}, which the workflow relies on`;
    case "type":
      return `${of === "input" ? "takes" : "returns"} ${pointer || "/"} as another type`;
  }
}

/** Stands for a template of which nothing is known but its schema. */
const wholly: Template = { $ref: "" };

interface Comparing {
  readonly of: ContractGap["of"];
  /** What becomes the value. */
  readonly template: Template;
  readonly reportsDrops: boolean;
}

/** What a reader by `reads` misses, or does not know, of values that a writer by `writes` makes. */
function gapsBetween(
  writes: JsonSchema | null,
  reads: JsonSchema | null,
  comparing: Comparing,
): readonly ContractGap[] {
  if (writes === null || reads === null) return [];
  const [writer, reader] = [schemaMeaning(writes), schemaMeaning(reads)];
  const { of, reportsDrops } = comparing;
  const missing = of === "input" ? "requires" : "keeps";
  const gaps: ContractGap[] = [];
  let parts = 0;
  const compare = (from: Json, to: Json, at: Place): void => {
    const [written, read] = [resolved(writer, from), resolved(reader, to)];
    parts += 1;
    if (written === null || read === null || at.depth > deepest || parts > mostParts) return;
    if (areApart(typesOf(written), typesOf(read))) {
      gaps.push({ kind: "type", of, pointer: at.pointer });
      return;
    }
    const [fields, known] = [propertiesOf(written), propertiesOf(read)];
    for (const name of textsOf(own(read, "required"))) {
      if (!isGiven(at.template, name, textsOf(own(written, "required")))) {
        gaps.push({ kind: missing, of, pointer: `${at.pointer}/${escaped(name)}` });
      }
    }
    for (const [name, field] of Object.entries(fields)) {
      if (!mayBeGiven(at.template, name)) continue;
      const pointer = `${at.pointer}/${escaped(name)}`;
      const next = own(known, name);
      if (next !== undefined) {
        compare(field, next, {
          pointer,
          template: fieldOf(at.template, name),
          depth: at.depth + 1,
        });
      } else if (reportsDrops && Object.keys(known).length > 0 && isClosed(read)) {
        gaps.push({ kind: "drops", of, pointer });
      }
    }
    const [item, itemRead] = [own(written, "items"), own(read, "items")];
    if (isObject(item) && isObject(itemRead)) {
      compare(item, itemRead, {
        pointer: `${at.pointer}/*`,
        template: wholly,
        depth: at.depth + 1,
      });
    }
  };
  compare(writer, reader, { pointer: "", template: comparing.template, depth: 0 });
  return gaps;
}

interface Place {
  readonly pointer: string;
  readonly template: Template;
  readonly depth: number;
}

/** Deeper parts of a schema, such as one that refers to itself, are not compared. */
const deepest = 16;
/**
 * Nor are more parts than that: references that double at each level would be compared for ever.
 */
const mostParts = 10_000;

/** The schema itself, if it says what it means in keywords that are compared here. */
function resolved(root: Json, schema: Json): JsonSchema | null {
  if (!isObject(schema)) return null;
  const ref = own(schema, "$ref");
  const target =
    typeof ref === "string" && ref.startsWith(definitionsAt)
      ? own(own(root as JsonSchema, "$defs") as JsonSchema, ref.slice(definitionsAt.length))
      : schema;
  if (!isObject(target) || choices.some((keyword) => own(target, keyword) !== undefined))
    return null;
  return target;
}

const definitionsAt = "#/$defs/";
/** Keywords by which what a schema demands depends on the value. */
const choices = ["$ref", "allOf", "anyOf", "else", "if", "not", "oneOf", "then"] as const;

const typesOf = (schema: JsonSchema): readonly string[] =>
  textsOf([own(schema, "type") ?? []].flat()).map((type) => (type === "integer" ? "number" : type));

/** No value has a type of both; where one side names none, that is not known. */
const areApart = (types: readonly string[], others: readonly string[]): boolean =>
  types.length > 0 && others.length > 0 && !types.some((type) => others.includes(type));

const textsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((one: Json): one is string => typeof one === "string") : [];

function propertiesOf(schema: JsonSchema): JsonSchema {
  const properties = own(schema, "properties");
  return isObject(properties) ? properties : {};
}

/** Whether fields that a schema does not name mean nothing to it. */
const isClosed = (schema: JsonSchema): boolean =>
  ["additionalProperties", "patternProperties"].every(
    (keyword) => own(schema, keyword) === undefined || own(schema, keyword) === false,
  );

/** A template that is no object of its own is whatever its schema says. */
const isOpen = (template: Template): boolean =>
  !isObject(template) || expressionIn(template) !== null;

const mayBeGiven = (template: Template, name: string): boolean =>
  isOpen(template) || Object.hasOwn(template as JsonSchema, name);

const isGiven = (template: Template, name: string, required: readonly string[]): boolean =>
  isOpen(template) ? required.includes(name) : Object.hasOwn(template as JsonSchema, name);

const fieldOf = (template: Template, name: string): Template =>
  isOpen(template) ? wholly : ((template as JsonSchema)[name] ?? wholly);
