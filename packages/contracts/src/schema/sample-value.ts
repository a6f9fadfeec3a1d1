import { decodePercents, type Json } from "@holdfast/domain";
import { linearPattern } from "./linear-pattern.ts";
import { type Meter, openMeter, TooManySteps } from "./meter.ts";
import { type PatternNode, parsePattern } from "./parse-pattern.ts";
import { isObject, type JsonSchema } from "./schema-keywords.ts";

interface SampleOptions {
  /** What a text is, where the schema says nothing of it; a field has its own name. */
  readonly name: string;
  /** Whether a value will do. */
  readonly fits: (value: Json) => boolean;
}

/** Ways through the alternatives of a schema that are tried. */
const mostWays = 24;
/** Levels of a value; a schema that refers to itself has no last one. */
const deepest = 32;
/**
 * Characters, items and fields that a sample is made longer by, for a schema that asks for many.
 */
const mostAdded = 1_000;
/** Values of a sample, with all within it: a schema may refer to itself twice. */
const mostValues = 10_000;

/**
 * A value that a schema takes, for people to begin with and for replies that a case leaves out:
 * examples and defaults, and simple values elsewhere. What the schema does not require is left out.
 * Where no way through its alternatives `fits`, the first one is returned.
 */
export function sampleValue(schema: JsonSchema, { name, fits }: SampleOptions): Json {
  const made = (way: number): Json => {
    const meter = openMeter();
    meter.begin(mostValues);
    try {
      return sampleOf(schema, { root: schema, meter, name, way, nth: 0, depth: 0 });
    } catch (error) {
      if (error instanceof TooManySteps) return null;
      throw error;
    }
  };
  const first = made(0);
  if (fits(first)) return first;
  for (let way = 1; way < mostWays; way += 1) {
    const other = made(way);
    if (fits(other)) return other;
  }
  return first;
}

/** A place in a value, and what is chosen there. */
interface Place {
  readonly root: JsonSchema;
  readonly meter: Meter;
  readonly name: string;
  /** Which of alternatives are taken. */
  readonly way: number;
  /** Which of the items of a list it is that must differ. */
  readonly nth: number;
  readonly depth: number;
}

function sampleOf(schema: Json | undefined, place: Place): Json {
  place.meter.spend(1);
  if (!isObject(schema) || place.depth > deepest) return null;
  const whole = joined(schema, place);
  if (whole["const"] !== undefined) return whole["const"];
  const usual = whole["default"] === undefined ? [] : [whole["default"]];
  for (const list of [listIn(whole, "examples"), usual, listIn(whole, "enum")]) {
    if (list.length > 0) return list[(place.way + place.nth) % list.length] ?? null;
  }
  const type = typeOf(whole, place.way);
  return (byType[type] ?? (() => null))(whole, place);
}

/**
 * A schema with all that holds for the same value: what it refers to, and one of its alternatives.
 */
function joined(schema: JsonSchema, place: Place): JsonSchema {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  if (place.depth > deepest) return own;
  const inside = { ...place, depth: place.depth + 1 };
  const alternatives = [anyOf, oneOf].flatMap((list) =>
    Array.isArray(list) && list.length > 0 ? [list[place.way % list.length]] : [],
  );
  const referred = typeof $ref === "string" ? [partAt(place.root, $ref)] : [];
  return [...referred, ...(Array.isArray(allOf) ? allOf : []), ...alternatives]
    .filter(isObject)
    .map((part) => joined(part, inside))
    .reduce(join, own);
}

const join = (one: JsonSchema, other: JsonSchema): JsonSchema => ({
  ...one,
  ...other,
  ...fieldsOf(one, other, "properties"),
  ...fieldsOf(one, other, "patternProperties"),
  required: [...listIn(one, "required"), ...listIn(other, "required")],
});

function fieldsOf(one: JsonSchema, other: JsonSchema, keyword: string): JsonSchema {
  const maps = [one[keyword], other[keyword]].filter(isObject);
  return maps.length === 0 ? {} : { [keyword]: Object.assign({}, ...maps) as JsonSchema };
}

/** The part of a schema that a reference within it leads to. */
function partAt(root: JsonSchema, ref: string): Json | undefined {
  if (!ref.startsWith("#")) return undefined;
  const steps = ref.split("/").slice(1);
  return steps.reduce<Json | undefined>((part, step) => {
    const name = (decodePercents(step) ?? step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(part)) return (part as readonly Json[])[Number(name)];
    return isObject(part) ? part[name] : undefined;
  }, root);
}

const listIn = (schema: JsonSchema, keyword: string): readonly Json[] => {
  const found = schema[keyword];
  return Array.isArray(found) ? found : [];
};
const textsIn = (schema: JsonSchema, keyword: string): readonly string[] =>
  listIn(schema, keyword).filter((one) => typeof one === "string");
const numberIn = (schema: JsonSchema, keyword: string, otherwise: number): number => {
  const found = schema[keyword];
  return typeof found === "number" ? found : otherwise;
};

/** What a schema without a type is about, by what it says. */
const implied: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "required", "patternProperties", "minProperties"]],
  ["array", ["items", "prefixItems", "minItems", "contains"]],
  ["string", ["pattern", "format", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

function typeOf(schema: JsonSchema, way: number): string {
  const { type } = schema;
  if (typeof type === "string") return type;
  const types = textsIn(schema, "type");
  if (types.length > 0) return types[way % types.length]!;
  const says = (keyword: string): boolean =>
    keyword === "required" ? listIn(schema, keyword).length > 0 : schema[keyword] !== undefined;
  const [found = "null"] = implied.find(([, keywords]) => keywords.some(says)) ?? [];
  return found;
}

const byType: Readonly<Record<string, (schema: JsonSchema, place: Place) => Json>> = {
  object: sampleObject,
  array: sampleList,
  string: sampleText,
  integer: (schema, place) => sampleNumber(schema, { ...place, unit: 1 }),
  number: (schema, place) => sampleNumber(schema, { ...place, unit: 0 }),
  boolean: (_, { nth }) => nth % 2 === 0,
};

function sampleObject(schema: JsonSchema, place: Place): Json {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const needed = isObject(schema["dependentRequired"]) ? schema["dependentRequired"] : {};
  const names = new Set(textsIn(schema, "required"));
  // What is added here is visited as well.
  for (const name of names) for (const other of textsIn(needed, name)) names.add(other);
  const least = Math.min(mostAdded, numberIn(schema, "minProperties", 0));
  for (const name of Object.keys(properties)) if (names.size < least) names.add(name);
  const inside = { ...place, depth: place.depth + 1 };
  const named = isObject(schema["propertyNames"]) ? schema["propertyNames"] : {};
  for (let nth = 0; names.size < least && nth < 2 * least; nth += 1) {
    const name = sampleOf({ type: "string", ...named }, { ...inside, name: "field", nth });
    if (typeof name === "string") names.add(name);
  }
  const known = Object.keys(properties).filter((name) => names.has(name));
  return Object.fromEntries(
    [...new Set([...known, ...names])].map((name) => [
      name,
      sampleOf(fieldSchema(schema, name), { ...inside, name, nth: 0 }),
    ]),
  );
}

/** What a schema says of a field. */
function fieldSchema(schema: JsonSchema, name: string): Json | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  const [, byPattern] = patterns.find(([pattern]) => matches(pattern, name)) ?? [];
  return byPattern ?? additionalProperties;
}

function sampleList(schema: JsonSchema, place: Place): Json {
  const { items, contains, additionalItems } = schema;
  const first = Array.isArray(items) ? items : listIn(schema, "prefixItems");
  const others = Array.isArray(items) ? additionalItems : items;
  const most = numberIn(schema, "maxItems", mostAdded);
  const containing = contains === undefined ? 0 : numberIn(schema, "minContains", 1);
  const least = Math.max(numberIn(schema, "minItems", 0), first.length, containing);
  const isUnique = schema["uniqueItems"] === true;
  const inside = { ...place, depth: place.depth + 1 };
  return Array.from({ length: Math.min(least, most, mostAdded) }, (_, index) => {
    const schemaOfItem = first[index] ?? (index < containing ? contains : others);
    return sampleOf(schemaOfItem, { ...inside, nth: isUnique ? index : 0 });
  });
}

/** A whole number of units, or any where the unit is 0. */
function sampleNumber(schema: JsonSchema, { unit, nth }: Place & { readonly unit: number }): Json {
  const least = numberIn(schema, "minimum", Number.NEGATIVE_INFINITY);
  const above = numberIn(schema, "exclusiveMinimum", Number.NEGATIVE_INFINITY);
  const most = numberIn(schema, "maximum", Number.POSITIVE_INFINITY);
  const below = numberIn(schema, "exclusiveMaximum", Number.POSITIVE_INFINITY);
  const step = numberIn(schema, "multipleOf", unit);
  const by = step === 0 ? 1 : step;
  const [low, high] = [Math.max(least, above), Math.min(most, below)];
  const isWithin = (number: number): boolean =>
    number >= least && number > above && number <= most && number < below;
  const isWhole = (number: number): boolean =>
    (unit === 0 || Number.isInteger(number)) && (step === 0 || Number.isInteger(number / step));
  const near = (end: number): readonly number[] => {
    const times = end / by;
    return [Math.ceil(times), Math.floor(times) + 1, Math.floor(times), Math.ceil(times) - 1].map(
      (count) => count * by,
    );
  };
  const likely = [1, ...near(low), ...near(high), (low + high) / 2, by, 0];
  const found = likely.find((one) => Number.isFinite(one) && isWithin(one) && isWhole(one)) ?? 1;
  return found + nth * by;
}

const byFormat: Readonly<Record<string, string>> = {
  email: "ann@example.com",
  "idn-email": "ann@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  iri: "https://example.com/",
  "uri-reference": "/example",
  uuid: "01a1fd8d-d928-77c8-96cb-353aaba1757f",
  date: "2026-01-31",
  time: "12:00:00Z",
  "date-time": "2026-01-31T12:00:00Z",
  duration: "PT1H",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  "json-pointer": "/example",
  regex: "^example$",
  byte: "ZXhhbXBsZQ==",
};

function sampleText(schema: JsonSchema, { name, way, nth }: Place): Json {
  const { format, pattern } = schema;
  const least = Math.min(mostAdded, numberIn(schema, "minLength", 0));
  const most = numberIn(schema, "maxLength", Number.POSITIVE_INFINITY);
  const known = typeof format === "string" ? byFormat[format] : undefined;
  const own = nth === 0 ? name : `${name}-${nth}`;
  const likely = [...(known === undefined ? [] : [known]), own.padEnd(least, "x").slice(0, most)];
  if (typeof pattern !== "string") return likely[0] ?? "";
  const fits = (text: string): boolean =>
    text.length >= least && text.length <= most && matches(pattern, text);
  return likely.find(fits) ?? textOfPattern(pattern, { least, way, nth, fits }) ?? likely[0] ?? "";
}

/** Steps in which a pattern is matched: it is one that a schema of ours may have. */
const mostSteps = 1_000_000;

function matches(pattern: string, text: string): boolean {
  const meter = openMeter();
  try {
    meter.begin(mostSteps);
    return linearPattern(pattern, meter).test(text);
  } catch {
    return false;
  }
}

interface TextOptions {
  readonly least: number;
  readonly way: number;
  readonly nth: number;
  readonly fits: (text: string) => boolean;
}

/** A text that a pattern matches; null: none is found, or it is no pattern. */
function textOfPattern(pattern: string, { least, way, nth, fits }: TextOptions): string | null {
  try {
    const tree = parsePattern(pattern);
    const ways = [0, 1, 2].flatMap((shift) =>
      Array.from({ length: Math.max(least, 2) + 1 }, (_, more) => ({
        more,
        way,
        nth: nth + shift,
      })),
    );
    for (const writing of ways) {
      const text = textOf(tree, writing);
      if (fits(text)) return text;
    }
    return null;
  } catch {
    return null;
  }
}

/**
 * How often parts are repeated beyond what is asked for, and which of their characters are taken.
 */
type Writing = Readonly<Record<"more" | "way" | "nth", number>>;

function textOf(node: PatternNode, writing: Writing): string {
  switch (node.kind) {
    case "sequence":
      return node.parts.map((part) => textOf(part, writing)).join("");
    case "choice":
      return textOf(node.options[writing.way % node.options.length]!, writing);
    case "repeat": {
      const times = Math.min(node.max, node.min + writing.more, mostAdded);
      return textOf(node.part, writing).repeat(times);
    }
    case "character":
      return characterOf(node.source, writing);
    case "edge":
    case "look":
      // Takes no character; whether it holds is found out afterwards.
      return "";
  }
}

const [small, large, digits] = [
  "abcdefghijklmnopqrstuvwxyz",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  "0123456789",
];
const others = "-_. ,:/@+#$%&'()*;<=>?[]^`{|}~!\"\\\n\t\u00e4\u4e00";
/** What is written where a class of characters has a choice: each way begins with others. */
const alphabets = [
  small + digits + large + others,
  digits + small + large + others,
  large + digits + small + others,
].map((characters) => characters.split(""));

function characterOf(source: string, { way, nth }: Writing): string {
  if (!/^[.[\\]/.test(source)) return source;
  const one = new RegExp(`^${source}$`, "u");
  const alphabet = alphabets[way % alphabets.length]!;
  const taken = alphabet.filter((character) => one.test(character));
  return taken[nth % Math.max(1, taken.length)] ?? "";
}
