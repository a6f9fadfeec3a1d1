import { indexIn, type Json } from "@holdfast/domain";
import { isObject, type JsonSchema, own } from "../schema/schema-keywords.ts";
import {
  allowsType,
  type Budget,
  each,
  isTrivial,
  type Key,
  keywordOf,
  listOf,
  mapOf,
  type SchemaReader,
  saysTypes,
  schemasOfElement,
  schemasOfField,
  schemasPossibleFor,
  spend,
  targetOf,
} from "./schema-reader.ts";

/**
 * Whether something can be: `no` is proven, `may` is what the schema says, `unknown` is what it
 * says nothing of.
 */
export type Chance = "no" | "may" | "unknown";

/** What a schema says about a place in the values that it allows. */
export interface Presence {
  readonly absent: Chance;
  /** The place, or one above it, holds null. Below a null everything is null. */
  readonly isNull: Chance;
  /** No value that the schema allows has anything at the place. */
  readonly isNever: boolean;
}

/** Schemas of which a value fits every one. */
type Conjunction = readonly Json[];

interface Walk {
  readonly reader: SchemaReader;
  /**
   * Keys from the root to which the values are known to be there, and not null; -1: not even the
   * root.
   */
  readonly provenTo: number;
  /** The last key is that of a field, or of an element, of a value that has such. */
  readonly isBelow: boolean;
  readonly budget: Budget;
}

/** Ways in which alternatives combine that are looked at one by one. */
const mostAlternatives = 64;

/** What is known of the value at the end of a path, below a root that a schema describes. */
export function presenceAt(
  reader: SchemaReader,
  path: readonly Key[],
  { provenTo, budget }: { readonly provenTo: number; readonly budget: Budget },
): Presence {
  const walk = { reader, provenTo, isBelow: false, budget };
  return look(walk, [reader.root], { path, depth: 0 });
}

/**
 * Looks as `presenceAt` does, where the value above the last key is an object that has fields, or a
 * list that has elements.
 */
export function presenceBelow(
  reader: SchemaReader,
  path: readonly Key[],
  budget: Budget,
): Presence {
  const walk = { reader, provenTo: path.length - 1, isBelow: true, budget };
  return look(walk, [reader.root], { path, depth: 0 });
}

const impossible: Presence = { absent: "no", isNull: "no", isNever: true };
const unknown: Presence = { absent: "unknown", isNull: "unknown", isNever: false };

interface Place {
  /** What is left of the path. */
  readonly path: readonly Key[];
  readonly depth: number;
}

function look(walk: Walk, schemas: Conjunction, place: Place): Presence {
  if (!spend(walk.budget, 1)) return unknown;
  const { parts, isPartial } = alternativesOf(walk, schemas);
  const found = parts.map((all) => lookIn(walk, all, place));
  const any = anyOf(found);
  return isPartial ? { ...any, isNever: false } : any;
}

function lookIn(walk: Walk, all: readonly JsonSchema[], { path, depth }: Place): Presence {
  const { reader, provenTo } = walk;
  const allows = (type: string): boolean => all.every((schema) => allowsType(reader, schema, type));
  const says: Chance = all.some(saysTypes) ? "may" : "unknown";
  const isThere = depth <= provenTo;
  const isNull = allows("null") && !isThere;
  const [key, ...rest] = path;
  if (key === undefined) {
    const isPossible = kinds.some(allows) || isNull;
    return isPossible ? { absent: "no", isNull: isNull ? says : "no", isNever: false } : impossible;
  }
  const next = { path: rest, depth: depth + 1 };
  if (walk.isBelow && rest.length === 0) return lookBelow(walk, all, { key, next });
  const found: Presence[] = [];
  if (isNull) found.push({ absent: "no", isNull: says, isNever: true });
  if (scalars.some(allows) && depth >= provenTo) {
    found.push({ absent: says, isNull: "no", isNever: true });
  }
  if (allows("object") && key !== each)
    found.push(lookInObject(walk, all, { key: String(key), next }));
  if (allows("array")) found.push(lookInList(walk, all, { key, next, says }));
  return anyOf(found);
}

function lookBelow(walk: Walk, all: readonly JsonSchema[], { key, next }: Below): Presence {
  const type = typeof key === "string" ? "object" : "array";
  if (!all.every((schema) => allowsType(walk.reader, schema, type))) return impossible;
  return typeof key === "string"
    ? lookInObject(walk, all, { key, next })
    : lookInEach(walk, all, next);
}

const scalars = ["boolean", "number", "string"];
const kinds = [...scalars, "array", "object"];

interface Below {
  readonly key: Key;
  readonly next: Place;
}

function lookInObject(
  walk: Walk,
  all: readonly JsonSchema[],
  { key, next }: Below & { readonly key: string },
): Presence {
  const { reader } = walk;
  const isRequired =
    next.depth <= walk.provenTo ||
    all.some((schema) => listOf(reader, schema, "required").includes(key));
  const below = all.flatMap((schema) => schemasOfField(reader, schema, key));
  const isClosed =
    all.every((schema) => schemasPossibleFor(reader, schema, key).length === 0) &&
    all.some((schema) => keywordOf(reader, schema, "unevaluatedProperties") === false);
  const field = isClosed ? impossible : look(walk, below, next);
  if (isRequired) return field;
  const isNamed =
    below.some((schema) => !isTrivial(schema)) || all.some((schema) => names(reader, schema, key));
  return { ...field, absent: isNamed ? "may" : "unknown" };
}

const names = (reader: SchemaReader, schema: JsonSchema, key: string): boolean =>
  Object.hasOwn(mapOf(reader, schema, "properties"), key);

function lookInList(
  walk: Walk,
  all: readonly JsonSchema[],
  { key, next, says }: Below & { readonly says: Chance },
): Presence {
  const { reader } = walk;
  const index = typeof key === "number" ? key : indexIn(key);
  if (index === null) return { absent: says, isNull: "no", isNever: true };
  if (index === each) return lookInEach(walk, all, next);
  const isLong =
    next.depth <= walk.provenTo ||
    all.some((schema) => Number(own(schema, "minItems") ?? 0) > index);
  const below = all.flatMap((schema) => schemasOfElement(reader, schema, index));
  const isShort = all.some((schema) => Number(own(schema, "maxItems") ?? Infinity) <= index);
  const element = isShort ? impossible : look(walk, below, next);
  return isLong ? element : { ...element, absent: says };
}

/** Each element fits some of what stands for elements: the first ones, or all others. */
function lookInEach(walk: Walk, all: readonly JsonSchema[], next: Place): Presence {
  const { reader } = walk;
  const hasOne = all.every((schema) => schemasOfElement(reader, schema, each).length <= 1);
  if (hasOne) {
    return look(
      walk,
      all.flatMap((schema) => schemasOfElement(reader, schema, each)),
      next,
    );
  }
  const most = Math.max(...all.map((schema) => schemasOfElement(reader, schema, each).length));
  const found = Array.from({ length: most + 1 }, (_, index) =>
    look(
      walk,
      all.flatMap((schema) => schemasOfElement(reader, schema, index)),
      next,
    ),
  );
  return anyOf(found);
}

interface Alternatives {
  /** Lists of parts: a value fits all parts of one of the lists. */
  readonly parts: readonly (readonly JsonSchema[])[];
  /** Whether there are more ways than are looked at: what is left out would rule out more. */
  readonly isPartial: boolean;
}

/** All ways in which a value can fit. Other keywords, such as `not`, only rule out more. */
function alternativesOf(walk: Walk, schemas: Conjunction): Alternatives {
  let isPartial = false;
  const both = (one: readonly (readonly JsonSchema[])[], other: typeof one): typeof one => {
    const isPaid = spend(walk.budget, one.length * other.length - 1);
    if (!isPaid || one.length * other.length > mostAlternatives) {
      isPartial = true;
      return one;
    }
    return one.flatMap((left) => other.map((right) => [...left, ...right]));
  };
  const of = (schema: Json, around: ReadonlySet<Json>): readonly (readonly JsonSchema[])[] => {
    const isPaid = spend(walk.budget, 1);
    if (schema === false) return [];
    if (!isObject(schema)) return [[]];
    if (around.has(schema) || !isPaid) {
      isPartial = true;
      return [[]];
    }
    const inner = new Set(around).add(schema);
    const every = (parts: readonly Json[]) =>
      parts.reduce<readonly (readonly JsonSchema[])[]>(
        (sum, part) => both(sum, of(part, inner)),
        [[]],
      );
    const some = (parts: readonly Json[]) => parts.flatMap((part) => of(part, inner));
    const { reader } = walk;
    const target = targetOf(reader, schema);
    let all: readonly (readonly JsonSchema[])[] = [[schema]];
    if (target !== undefined) all = both(all, of(target, inner));
    for (const part of listOf(reader, schema, "allOf")) all = both(all, of(part, inner));
    for (const keyword of ["anyOf", "oneOf"]) {
      const parts = listOf(reader, schema, keyword);
      if (parts.length > 0) all = both(all, some(parts));
    }
    const condition = own(schema, "if");
    if (condition !== undefined) {
      const then = own(schema, "then") ?? true;
      all = both(all, [...every([condition, then]), ...of(own(schema, "else") ?? true, inner)]);
    }
    return all;
  };
  const parts = schemas.reduce<readonly (readonly JsonSchema[])[]>(
    (sum, schema) => both(sum, of(schema, new Set())),
    [[]],
  );
  return { parts, isPartial };
}

/** What is known if one of several is so. */
function anyOf(all: readonly Presence[]): Presence {
  const [first = impossible, ...others] = all.filter((one) => !isImpossible(one));
  return others.reduce(
    (sum, one) => ({
      absent: worse(sum.absent, one.absent),
      isNull: worse(sum.isNull, one.isNull),
      isNever: sum.isNever && one.isNever,
    }),
    first,
  );
}

/** Whether no value is such that one could ask. */
export const isImpossible = ({ absent, isNull, isNever }: Presence): boolean =>
  isNever && absent === "no" && isNull === "no";

/** What a schema says weighs more than what it says nothing of. */
export function worse(one: Chance, other: Chance): Chance {
  if (one === "may" || other === "may") return "may";
  return one === "unknown" ? one : other;
}
