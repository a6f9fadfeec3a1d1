import { decodePercents, type Json } from "@holdfast/domain";
import { isCheckedFormat } from "./dialect.ts";
import { type LinearPattern, linearPattern } from "./linear-pattern.ts";
import type { Meter } from "./meter.ts";
import { UnsupportedPattern } from "./parse-pattern.ts";
import { costKeyword, costsOf } from "./schema-costs.ts";
import {
  copied,
  escaped,
  isObject,
  isSchema,
  type JsonSchema,
  lengthOf,
  listed,
  named,
  own,
  partsOf,
  single,
} from "./schema-keywords.ts";
import {
  findPlaces,
  mostParts,
  namesIn,
  type Places,
  resolveReference,
  type SchemaFault,
  saysWhatRemains,
  TooManyParts,
} from "./schema-places.ts";

/** Parts that a schema may have, each reference counted as what it stands for. */
export const mostExpanded = 10_000;
/**
 * Levels that a schema may have, each reference counted as what it stands for. Compiling takes some
 * of the stack for each: with 300 it depends on the caller's stack, and on what the engine has
 * optimised, whether there is enough.
 */
const deepestExpanded = 128;

export interface PlainSchema {
  /**
   * The schema with what says which values are valid, and nothing else: its references lead to
   * `$defs` of its root, nothing has a name of its own, and each part says what its check costs.
   */
  readonly schema: JsonSchema;
  /** What older releases took, and this one leaves out: it allows everything instead. */
  readonly leftOut: readonly SchemaFault[];
  /** Its patterns, and those of names of properties, by their source. */
  readonly patterns: ReadonlyMap<string, LinearPattern>;
  /** Parts of the schema with each reference as what it stands for; saturates. */
  readonly expandedSize: number;
  /** A part of it refers to itself for the same value, without end. */
  readonly isEndless: boolean;
  /** It says which fields or items remain, so what its parts have seen is carried along. */
  readonly tracksWhatWasSeen: boolean;
}

/** Instructions of patterns that are as expensive to compile as one part. */
const instructionsPerPart = 20;

/**
 * Reads a schema as it is stored; its patterns count on the meter. Throws for one that no release
 * could compile.
 */
export function readPlainSchema(schema: JsonSchema, meter: Meter): PlainSchema {
  try {
    const places = findPlaces(schema);
    const whole = plainSchema(schema, { places, meter });
    if (whole.leftOut.length === 0) return whole;
    const partial = plainSchema(schema, { places, meter, isPartial: true });
    return { ...partial, leftOut: whole.leftOut };
  } catch (error) {
    if (error instanceof TooManyParts) {
      return everything(`has more than ${mostParts} parts: divide the value, or say less of it`);
    }
    if (error instanceof TooDeep) {
      return everything(
        `has more than ${deepestExpanded} levels, each reference counted as what it stands for: say less of what is so deep`,
      );
    }
    throw error;
  }
}

/** Means that a schema has more levels than are sure to be compiled. */
class TooDeep extends Error {}

/** Stands for a schema that is left out as a whole. */
const everything = (detail: string): PlainSchema => ({
  schema: {},
  leftOut: [{ pointer: "", detail }],
  patterns: new Map(),
  expandedSize: 1,
  isEndless: false,
  tracksWhatWasSeen: false,
});

interface Reading {
  readonly places: Places;
  readonly meter: Meter;
  /** Something has to be left out: then nothing is kept that would refuse more for that. */
  readonly isPartial?: boolean;
}

/** A plain schema that is being written. */
interface Writing extends Required<Reading> {
  readonly leftOut: SchemaFault[];
  readonly patterns: Map<string, LinearPattern>;
  /**
   * The names in `$defs` of what is referred to, by pointer; in their order, the last ones still to
   * be written.
   */
  readonly references: Map<string, string>;
  readonly defs: Record<string, Json>;
  /** How many names are merged where parts are joined; 0: nothing says what remains. */
  readonly seen: number;
  parts: number;
}

function plainSchema(root: JsonSchema, { places, meter, isPartial = false }: Reading): PlainSchema {
  const schemas = [...places.all.values()].map(({ schema }) => schema);
  const tracksWhatWasSeen = schemas.some(saysWhatRemains);
  const writing: Writing = {
    places,
    meter,
    isPartial,
    leftOut: [],
    patterns: new Map(),
    references: new Map(),
    defs: {},
    seen: tracksWhatWasSeen ? schemas.flatMap(namesIn).length : 0,
    parts: 0,
  };
  const schema = plainPart(writing, root, "") as JsonSchema;
  // Writing one may add others behind it.
  for (const [pointer, name] of writing.references) {
    writing.defs[name] = plainPart(writing, places.all.get(pointer)!.schema, pointer);
  }
  const { leftOut, patterns, defs } = writing;
  const complete = Object.keys(defs).length === 0 ? schema : { ...schema, $defs: defs };
  const expanded = expandedMeasures(complete);
  if (expanded.levels > deepestExpanded) throw new TooDeep();
  return {
    schema: complete,
    leftOut,
    patterns,
    expandedSize: expanded.size,
    isEndless: isEndless(complete),
    tracksWhatWasSeen,
  };
}

/** Keywords that refuse the more, the more their parts allow. */
const inverting: ReadonlySet<string> = new Set([
  "else",
  "if",
  "maxContains",
  "not",
  "oneOf",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

function plainPart(writing: Writing, schema: Json, pointer: string): Json {
  countParts(writing, 1);
  if (!isObject(schema)) return schema;
  leaveOutUnsupported(writing, schema, pointer);
  const result: Record<string, Json> = {};
  const take = (keyword: string): Json | undefined => {
    const isKept = !writing.isPartial || !refusesMore(keyword, schema);
    return isKept ? own(schema, keyword) : undefined;
  };
  for (const keyword of copied) {
    const value = take(keyword);
    if (value !== undefined) result[keyword] = value;
  }
  countParts(writing, (lengthOf(result["enum"]) + lengthOf(result["required"])) / 10);
  // Each of these stands inside the one before it, and none can be a function of its own.
  countParts(writing, lengthOf(own(schema, "oneOf")) ** 2 / 200);
  const pattern = own(schema, "pattern");
  if (typeof pattern === "string" && takesPattern(writing, pattern, `${pointer}/pattern`)) {
    result["pattern"] = pattern;
  }
  if (isCheckedFormat(schema)) result["format"] = own(schema, "format")!;
  const ref = own(schema, "$ref");
  const target = typeof ref === "string" ? referTo(writing, ref, pointer) : null;
  if (target !== null) result["$ref"] = target;
  for (const keyword of single) {
    const value = take(keyword);
    if (isSchema(value)) result[keyword] = plainPart(writing, value, `${pointer}/${keyword}`);
  }
  for (const keyword of listed) {
    const value = take(keyword);
    if (!Array.isArray(value)) continue;
    result[keyword] = value.map((part: Json, index) =>
      plainPart(writing, part, `${pointer}/${keyword}/${index}`),
    );
  }
  for (const keyword of named) {
    const value = take(keyword);
    if (isObject(value)) result[keyword] = plainMap(writing, value, `${pointer}/${keyword}`);
  }
  const needed = take("dependentRequired");
  if (isObject(needed)) {
    const parts = plainMap(writing, needed, `${pointer}/dependentRequired`);
    result["dependentSchemas"] = joinedMaps(writing, result["dependentSchemas"], parts);
  }
  const apart = (one: JsonSchema): Json => {
    const name = `d${Object.keys(writing.defs).length}`;
    writing.defs[name] = withCosts(writing, one);
    return { $ref: `#/$defs/${name}` };
  };
  return withCosts(writing, divideSchema(result, apart));
}

/** Whether a keyword refuses what it did not refuse before something was left out. */
const refusesMore = (keyword: string, schema: JsonSchema): boolean =>
  inverting.has(keyword) ||
  (keyword === "additionalProperties" && own(schema, "patternProperties") !== undefined);

function plainMap(writing: Writing, map: JsonSchema, pointer: string): JsonSchema {
  const entries = Object.entries(map).flatMap(([name, part]): [string, Json][] => {
    const at = `${pointer}/${escaped(name)}`;
    const isPattern = pointer.endsWith("/patternProperties");
    if (isPattern && !takesPattern(writing, name, at)) return [];
    // Names of properties that are needed: a list in a function of its own, as Ajv's code for them
    // grows by its square.
    const schema = Array.isArray(part) ? { required: part } : part;
    return [[name, isSchema(schema) ? plainPart(writing, schema, at) : part]];
  });
  return Object.fromEntries(entries);
}

/** A map that asks for all that the two ask for. */
function joinedMaps(writing: Writing, one: Json | undefined, other: JsonSchema): JsonSchema {
  const both = new Map(Object.entries(isObject(one) ? one : {}));
  for (const [name, part] of Object.entries(other)) {
    const before = both.get(name);
    both.set(name, before === undefined ? part : withCosts(writing, { allOf: [before, part] }));
  }
  return Object.fromEntries(both);
}

function countParts(writing: Writing, more: number): void {
  writing.parts += more;
  if (writing.parts > mostParts) throw new TooManyParts();
}

function leaveOutUnsupported({ leftOut }: Writing, schema: JsonSchema, pointer: string): void {
  for (const keyword of ["$async", "$dynamicRef", "$recursiveRef"]) {
    if (own(schema, keyword) === undefined) continue;
    const detail = `${keyword} is not supported: use $ref, or leave it out`;
    leftOut.push({ pointer: `${pointer}/${keyword}`, detail });
  }
}

/** Compiles a pattern. False: it is left out. */
function takesPattern(writing: Writing, source: string, pointer: string): boolean {
  const { patterns, meter, leftOut } = writing;
  if (patterns.has(source)) return true;
  try {
    const pattern = linearPattern(source, meter);
    countParts(writing, pattern.size / instructionsPerPart);
    patterns.set(source, pattern);
    return true;
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    leftOut.push({ pointer, detail: `the pattern ${error.message}` });
    return false;
  }
}

/** The reference to what a reference leads to; null: it is left out. */
function referTo(writing: Writing, ref: string, from: string): string | null {
  const { places, references, leftOut } = writing;
  countParts(writing, 1);
  if (decodePercents(ref) === null) {
    leftOut.push({ pointer: `${from}/$ref`, detail: undecodable });
    return null;
  }
  const pointer = resolveReference(ref, from, places);
  if (pointer === null) {
    leftOut.push({ pointer: `${from}/$ref`, detail: foreign });
    return null;
  }
  if (pointer === "") return "#";
  const name = references.get(pointer) ?? `r${references.size}`;
  references.set(pointer, name);
  return `#/$defs/${name}`;
}

const withCosts = ({ seen }: Writing, part: JsonSchema): JsonSchema => ({
  ...part,
  [costKeyword]: { ...costsOf(part, seen) },
});

const undecodable =
  "has a % that begins no encoded character: in a reference, write % as %25, and a blank as %20";
const foreign =
  "refers to another schema: put what it refers to into $defs, and refer to #/$defs/<name>";

/** Properties, or alternatives, in one function. */
const mostInFunction = 25;

/**
 * Puts what a part has many of into functions of their own: a function takes time to compile by its
 * square. `apart` puts a schema there, and says how to refer to it.
 */
function divideSchema(part: JsonSchema, apart: (schema: JsonSchema) => Json): JsonSchema {
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

interface Measures {
  /** Parts; saturates. */
  readonly size: number;
  readonly levels: number;
}

/**
 * Measures a plain schema, each reference as what it stands for; one that is met inside itself
 * counts once.
 */
function expandedMeasures(root: JsonSchema): Measures {
  const known = new Map<Json, Measures>();
  const underWay = new Set<Json>();
  const measure = (schema: Json): Measures => {
    if (!isObject(schema) || underWay.has(schema)) return { size: 1, levels: 1 };
    const before = known.get(schema);
    if (before !== undefined) return before;
    underWay.add(schema);
    const ref = own(schema, "$ref");
    const target = typeof ref === "string" ? targetIn(root, ref) : undefined;
    const parts = partsOf(schema).map(([, part]) => part);
    let [size, levels] = [1, 0];
    for (const part of target === undefined ? parts : [target, ...parts]) {
      const inner = measure(part);
      size = Math.min(size + inner.size, mostExpanded + 1);
      levels = Math.max(levels, inner.levels);
    }
    underWay.delete(schema);
    const measures = { size, levels: levels + 1 };
    known.set(schema, measures);
    return measures;
  };
  return measure(root);
}

/** Keywords whose parts check the same value as the schema that they stand in. */
const sameValue = /^\/(allOf|anyOf|oneOf|not|if|then|else|dependencies|dependentSchemas)(\/|$)/;

/** Whether a part is met again inside itself for the same value: its check would never end. */
function isEndless(root: JsonSchema): boolean {
  const underWay = new Set<Json>();
  const known = new Set<Json>();
  const ends = (schema: Json): boolean => {
    if (!isObject(schema) || known.has(schema)) return true;
    if (underWay.has(schema)) return false;
    underWay.add(schema);
    const ref = own(schema, "$ref");
    const target = typeof ref === "string" ? targetIn(root, ref) : undefined;
    const others = partsOf(schema).filter(([path]) => sameValue.test(path));
    const all = [...others.map(([, part]) => part), ...(target === undefined ? [] : [target])];
    const isRight = all.every(ends);
    underWay.delete(schema);
    known.add(schema);
    return isRight;
  };
  const every = (schema: Json): boolean =>
    ends(schema) && (!isObject(schema) || partsOf(schema).every(([, part]) => every(part)));
  return (
    !every(root) || !Object.values((root["$defs"] as JsonSchema | undefined) ?? {}).every(every)
  );
}

const targetIn = (root: JsonSchema, ref: string): Json | undefined =>
  ref === "#" ? root : (root["$defs"] as JsonSchema)[ref.slice("#/$defs/".length)];
