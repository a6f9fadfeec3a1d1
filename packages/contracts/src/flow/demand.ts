import type { Json, Template } from "@holdfast/domain";
import {
  composing,
  conditional,
  dependent,
  isObject,
  type JsonSchema,
  own,
} from "../schema/schema-keywords.ts";
import {
  fieldOf,
  hasField,
  isOpen,
  isSilent,
  type Judging,
  judge,
  type Part,
  valueOf,
} from "./judge.ts";
import {
  allowsType,
  each,
  isFitting,
  isTrivial,
  type Key,
  keywordOf,
  listOf,
  mapOf,
  type SchemaReader,
  schemasOfElement,
  schemasOfField,
  schemasPossibleFor,
  spend,
  targetOf,
  textsIn,
} from "./schema-reader.ts";

/** How a value is missing: its field is not there, or null stands in its place. */
export type Missing = "absent" | "null";

/**
 * What a schema makes of a value that is missing. `fits`: whatever fits with the value fits without
 * it. `refuses`: nothing fits without it. `unknown`: that depends on other values.
 */
export type Demand = "fits" | "refuses" | "unknown";

/** The place of a missing value in what a template becomes. */
interface Asked {
  readonly template: Template;
  readonly place: readonly Key[];
  readonly missing: Missing;
  /**
   * Whether a field that null is missing in may be absent at other times: then null has to fit as
   * well as absence.
   */
  readonly mayBeAbsent: boolean;
}

type At = Omit<Asked, "template"> & { readonly part: Part };

/**
 * What the contract of an operation makes of a value that is missing at a place of the input that a
 * template becomes.
 */
export function demandAt(
  reader: SchemaReader,
  { template, ...asked }: Asked,
  { isSure, budget }: Pick<Judging, "isSure" | "budget">,
): Demand {
  return demandOf({ reader, isSure, budget }, reader.root, { part: template, ...asked });
}

function demandOf(judging: Judging, schema: Json, at: At): Demand {
  if (!spend(judging.budget, 1)) return "unknown";
  const { reader } = judging;
  if (schema === false && at.place.length === 0) return at.mayBeAbsent ? "unknown" : "fits";
  if (!isObject(schema)) return "fits";
  if (at.place.length === 0) return takesNull(judging, schema) ? "fits" : "refuses";
  const target = targetOf(reader, schema);
  const all = [...(target === undefined ? [] : [target]), ...listOf(reader, schema, "allOf")];
  const [key] = at.place;
  return worst([
    ...all.map((part) => demandOf(judging, part, at)),
    demandOfAny(judging, listOf(reader, schema, "anyOf"), at),
    demandOfOne(judging, listOf(reader, schema, "oneOf"), at),
    demandOfIf(judging, schema, at),
    dependsOn(judging, own(schema, "not"), at),
    own(schema, "const") === undefined && own(schema, "enum") === undefined ? "fits" : "unknown",
    typeof key === "number"
      ? demandOfList(judging, schema, at)
      : demandOfObject(judging, schema, at),
  ]);
}

/** `refuses` before `unknown` before `fits`. */
function worst(all: readonly Demand[]): Demand {
  if (all.includes("refuses")) return "refuses";
  return all.includes("unknown") ? "unknown" : "fits";
}

/** What all agree in. */
function common(all: readonly Demand[]): Demand {
  const [first = "fits"] = all;
  return all.every((one) => one === first) ? first : "unknown";
}

/**
 * Weakens a demand to `unknown` at most, where it is not certain that the part of the schema is
 * looked at.
 */
const perhaps = (demand: Demand): Demand => (demand === "fits" ? "fits" : "unknown");

function demandOfAny(judging: Judging, branches: readonly Json[], at: At): Demand {
  const judged = branches.map((branch) => ({ branch, fits: judge(judging, branch, at.part) }));
  if (judged.some(({ fits }) => fits === true)) return "fits";
  const open = judged.filter(({ fits }) => fits !== false);
  return common(open.map(({ branch }) => demandOf(judging, branch, at)));
}

function demandOfOne(judging: Judging, branches: readonly Json[], at: At): Demand {
  const open = branches.filter((branch) => judge(judging, branch, at.part) !== false);
  if (open.length <= 1) return common(open.map((branch) => demandOf(judging, branch, at)));
  if (open.every((branch) => dependsOn(judging, branch, at) === "fits")) return "fits";
  const demands = open.map((branch) => demandOf(judging, branch, at));
  return demands.every((demand) => demand === "refuses") ? "refuses" : "unknown";
}

function demandOfIf(judging: Judging, schema: JsonSchema, at: At): Demand {
  const condition = own(schema, "if");
  if (condition === undefined) return "fits";
  const holds = judge(judging, condition, at.part);
  const [then, other] = ["then", "else"].map((keyword) =>
    demandOf(judging, own(schema, keyword) ?? true, at),
  ) as [Demand, Demand];
  if (holds !== null) return holds ? then : other;
  const both = common([then, other]);
  return both === "fits" ? dependsOn(judging, condition, at) : both;
}

function demandOfObject(judging: Judging, schema: JsonSchema, at: At): Demand {
  const { reader } = judging;
  const [key, ...rest] = at.place;
  const name = String(key);
  const demands = dependents(reader, schema).map(([other, part]) => {
    if (other === name && rest.length === 0 && at.missing === "absent") return "fits";
    const demand = demandOf(judging, part, at);
    return hasField(judging, at.part, other) === true ? demand : perhaps(demand);
  });
  const remains = keywordOf(reader, schema, "unevaluatedProperties");
  const takesMore = remains === undefined || remains === true;
  if (rest.length === 0 && at.missing === "absent") {
    return worst([
      ...demands,
      listOf(reader, schema, "required").includes(name) ? "refuses" : "fits",
      ...neededBy(judging, schema, { part: at.part, name }),
      fewest(judging, schema, { part: at.part, name }),
      takesMore || !isComposed(schema) ? "fits" : "unknown",
    ]);
  }
  const below = { ...at, part: fieldOf(at.part, name), place: rest };
  const schemas = schemasOfField(reader, schema, name);
  return worst([
    ...demands,
    rest.length === 0 && at.mayBeAbsent
      ? demandOfPresence(judging, schema, { part: at.part, name })
      : "fits",
    ...schemasPossibleFor(reader, schema, name).map((part) => {
      const demand = demandOf(judging, part, below);
      return isFitting(name) ? perhaps(demand) : demand;
    }),
    takesMore ||
    (schemas.length > 0 && !isComposed(schema)) ||
    (remains === false && !isComposed(schema))
      ? "fits"
      : "unknown",
  ]);
}

/** What a schema demands of objects that have a field. */
function dependents(
  reader: SchemaReader,
  schema: JsonSchema,
): readonly (readonly [string, Json])[] {
  return ["dependentSchemas", "dependencies"].flatMap((keyword) =>
    Object.entries(mapOf(reader, schema, keyword)).filter(([, part]) => !Array.isArray(part)),
  );
}

/**
 * What a schema makes of a field for being there at all, which a field that is null is, and one
 * that is left out is not.
 */
function demandOfPresence(
  judging: Judging,
  schema: JsonSchema,
  { part, name }: { readonly part: Part; readonly name: string },
): Demand {
  const { reader } = judging;
  const needs = dependent.map((keyword) => own(mapOf(reader, schema, keyword), name) ?? true);
  const isFree = needs.every(
    (need) =>
      isTrivial(need) ||
      (Array.isArray(need) &&
        textsIn(need).every((other) => hasField(judging, part, other) === true)),
  );
  const names = own(schema, "propertyNames") ?? true;
  const isKnown =
    schemasOfField(reader, schema, name).length > 0 ||
    (keywordOf(reader, schema, "unevaluatedProperties") ?? true) === true;
  return isFree && isTrivial(names) && isKnown && hasRoom(schema, part) ? "fits" : "unknown";
}

/** Whether all fields of an object are few enough. */
function hasRoom(schema: JsonSchema, part: Part): boolean {
  const most = own(schema, "maxProperties");
  if (most === undefined) return true;
  const value = part === undefined || isOpen(part) ? undefined : valueOf(part);
  return isObject(value) && Object.keys(value).length <= Number(most);
}

/** Fields that are there only with this one. */
function neededBy(
  judging: Judging,
  schema: JsonSchema,
  { part, name }: { readonly part: Part; readonly name: string },
): readonly Demand[] {
  const { reader } = judging;
  const needs = ["dependentRequired", "dependencies"].flatMap((keyword) =>
    Object.entries(mapOf(reader, schema, keyword)),
  );
  return needs.map(([other, names]) => {
    if (other === name || !Array.isArray(names) || !names.includes(name)) return "fits";
    const has = hasField(judging, part, other);
    if (has === false) return "fits";
    return has === true ? "refuses" : "unknown";
  });
}

/** Whether enough fields are left. */
function fewest(
  judging: Judging,
  schema: JsonSchema,
  { part, name }: { readonly part: Part; readonly name: string },
): Demand {
  const least = Number(own(schema, "minProperties") ?? 0);
  if (least === 0) return "fits";
  const value = part === undefined || isOpen(part) ? undefined : valueOf(part);
  if (!isObject(value)) return "unknown";
  const others = Object.keys(value).filter((one) => one !== name);
  if (others.length < least) return "refuses";
  const sure = others.filter((other) => hasField(judging, part, other) === true);
  return sure.length >= least ? "fits" : "unknown";
}

function demandOfList(judging: Judging, schema: JsonSchema, at: At): Demand {
  const { reader } = judging;
  const [key, ...rest] = at.place;
  const index = Number(key);
  const below = {
    ...at,
    part: Array.isArray(at.part) && index !== each ? (at.part[index] as Part) : undefined,
    place: rest,
  };
  const demands = schemasOfElement(reader, schema, index).map((part) =>
    demandOf(judging, part, below),
  );
  const remains = keywordOf(reader, schema, "unevaluatedItems");
  const isAlone = Array.isArray(at.part) && at.part.length === 1;
  return worst([
    // Each of them holds for some elements only.
    ...(index === each && demands.length > 1 ? demands.map(perhaps) : demands),
    own(schema, "contains") === undefined ? "fits" : "unknown",
    own(schema, "uniqueItems") !== true || isAlone ? "fits" : "unknown",
    remains === undefined || remains === true ? "fits" : "unknown",
  ]);
}

const isComposed = (schema: JsonSchema): boolean =>
  ["$ref", "allOf", "anyOf", "oneOf", "if", "not", "dependentSchemas", "dependencies"].some(
    (keyword) => own(schema, keyword) !== undefined,
  );

/** `fits` where the verdict of a part of a schema never depends on the value that is missing. */
function dependsOn(judging: Judging, schema: Json | undefined, at: At): Demand {
  if (schema === undefined || typeof schema === "boolean") return "fits";
  if (!isObject(schema) || !spend(judging.budget, 1)) return "unknown";
  if (at.place.length === 0)
    return Object.keys(schema).some((word) => !isSilent(word)) ? "unknown" : "fits";
  const { reader } = judging;
  const [key, ...rest] = at.place;
  const below = { ...at, part: undefined, place: rest };
  const isLast = typeof key === "string" && rest.length === 0;
  const isField = isLast && at.missing === "absent";
  const parts =
    typeof key === "number"
      ? schemasOfElement(reader, schema, key)
      : schemasPossibleFor(reader, schema, String(key));
  const target = targetOf(reader, schema);
  const sameValue = [
    ...(target === undefined ? [] : [target]),
    ...composing.flatMap((keyword) => listOf(reader, schema, keyword)),
    ...conditional.map((keyword) => own(schema, keyword)),
  ];
  const isTouched = touching.some((keyword) => keywordOf(reader, schema, keyword) !== undefined);
  const isRequired =
    isLast && (isField || at.mayBeAbsent) && listOf(reader, schema, "required").includes(key);
  return worst([
    isTouched || isRequired ? "unknown" : "fits",
    ...parts.map((part): Demand => {
      if (!isField) return dependsOn(judging, part, below);
      return isTrivial(part) ? "fits" : "unknown";
    }),
    ...sameValue.map((part) => dependsOn(judging, part, at)),
  ]);
}

/** Keywords by which a verdict may depend on any field or element. */
const touching = [
  "const",
  "contains",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "enum",
  "maxProperties",
  "minProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
];

/** Whether null fits: that can be said exactly. */
function takesNull(judging: Judging, schema: Json): boolean {
  if (!isObject(schema)) return schema === true;
  const { reader } = judging;
  const takes = (part: Json): boolean => takesNull(judging, part);
  const target = targetOf(reader, schema);
  const [anyOf, oneOf] = ["anyOf", "oneOf"].map((keyword) => listOf(reader, schema, keyword));
  const [not, condition] = [own(schema, "not"), own(schema, "if")];
  const next = condition === undefined ? true : takes(condition) ? "then" : "else";
  return (
    allowsType(reader, schema, "null") &&
    (target === undefined || takes(target)) &&
    listOf(reader, schema, "allOf").every(takes) &&
    (anyOf!.length === 0 || anyOf!.some(takes)) &&
    (oneOf!.length === 0 || oneOf!.filter(takes).length === 1) &&
    (not === undefined || !takes(not)) &&
    (next === true || takes(own(schema, next) ?? true))
  );
}
