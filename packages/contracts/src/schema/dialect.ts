import type { Json } from "@holdfast/domain";
import { formats, formatsOfAll } from "./formats.ts";
import {
  composing,
  conditional,
  copied,
  definitions,
  dependent,
  escaped,
  isObject,
  type JsonSchema,
  listed,
  named,
  own,
  single,
} from "./schema-keywords.ts";
import { findPlaces, type SchemaFault } from "./schema-places.ts";

/** The kinds of JSON Schema that are understood. */
export type Dialect = "draft-07" | "2020-12";

/** The names of the dialects in `$schema`, without the scheme and what follows `#`. */
const dialects: Readonly<Record<string, Dialect>> = {
  "//json-schema.org/draft-07/schema": "draft-07",
  "//json-schema.org/draft/2020-12/schema": "2020-12",
};

/** Keywords of 2020-12 that draft 7 has not. */
export const newer: ReadonlySet<string> = new Set([
  "dependentRequired",
  "dependentSchemas",
  "maxContains",
  "minContains",
  "prefixItems",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Whether a keyword means something in draft 7 alone. */
const isOlder = (keyword: string, value: Json): boolean =>
  keyword === "additionalItems" || (keyword === "items" && Array.isArray(value));

/**
 * The dialect that a schema is written in: as its `$schema` says. Where it says nothing, it is
 * 2020-12 if it has a keyword that draft 7 has not, and draft 7 otherwise.
 */
export function dialectOf(schema: JsonSchema): Dialect {
  const name = own(schema, "$schema");
  if (typeof name === "string") return dialectNamed(name) ?? "draft-07";
  return keywordsIn(schema).some(({ keyword }) => newer.has(keyword)) ? "2020-12" : "draft-07";
}

const dialectNamed = (name: string): Dialect | undefined =>
  dialects[name.replace(/^https?:/, "").replace(/#$/, "")];

interface Keyword {
  /** The pointer of the schema that it stands in. */
  readonly at: string;
  readonly keyword: string;
  readonly value: Json;
  readonly schema: JsonSchema;
}

/** The keywords of a schema and of its parts; none, where it has too many parts. */
function keywordsIn(schema: JsonSchema): readonly Keyword[] {
  try {
    return [...findPlaces(schema).all].flatMap(([at, { schema: part }]) =>
      isObject(part)
        ? Object.entries(part).map(([keyword, value]) => ({ at, keyword, value, schema: part }))
        : [],
    );
  } catch {
    // It is refused for that.
    return [];
  }
}

/** Keywords that asked for something in dialects before or after these, or of one library. */
const foreign: Readonly<Record<string, string>> = {
  disallow: "use not",
  divisibleBy: "use multipleOf",
  extends: "use allOf",
  $recursiveAnchor: "use $ref",
};

/**
 * What a schema asks for, and no check looks at: of another dialect, a format that is not known.
 * Schemas that were stored before may have such parts, which allow everything.
 */
export function unsupportedIn(schema: JsonSchema): readonly SchemaFault[] {
  const keywords = keywordsIn(schema);
  const dialect = dialectOf(schema);
  const isNamed = typeof own(schema, "$schema") === "string";
  return keywords.flatMap((one): readonly SchemaFault[] => {
    const detail = reasonOf(one, { dialect, isNamed, keywords });
    return detail === null ? [] : [{ pointer: `${one.at}/${escaped(one.keyword)}`, detail }];
  });
}

interface Whole {
  readonly dialect: Dialect;
  readonly isNamed: boolean;
  readonly keywords: readonly Keyword[];
}

/** Why a keyword is not supported; null: it is. */
function reasonOf(one: Keyword, whole: Whole): string | null {
  const { keyword, value, schema } = one;
  const { dialect, isNamed } = whole;
  if (keyword === "$schema") return reasonOfDialect(value, dialect);
  if (keyword === "format") return reasonOfFormat(value, schema);
  if (keyword.startsWith("unevaluated") && dialect === "2020-12") return reasonOfRest(one, whole);
  if (Object.hasOwn(foreign, keyword)) {
    return `${keyword} is not supported: ${foreign[keyword] ?? ""}`;
  }
  if (dialect === "draft-07" && newer.has(keyword)) {
    return `${keyword} is a keyword of JSON Schema 2020-12, and $schema says draft 7: say https://json-schema.org/draft/2020-12/schema there`;
  }
  if (dialect === "draft-07" && isNamed && keyword === "$ref") return reasonOfReference(schema);
  if (dialect === "2020-12" && isOlder(keyword, value)) {
    const older = keyword === "items" ? "items as a list" : keyword;
    const other = isNamed ? "$schema says 2020-12" : "other keywords here are of 2020-12";
    return `${older} is of draft 7, and ${other}: use prefixItems and items`;
  }
  return null;
}

/** Draft 7 ignores what stands beside a reference. */
function reasonOfReference(schema: JsonSchema): string | null {
  const beside = Object.keys(schema).filter((keyword) => known.has(keyword) && !isSaid(keyword));
  return beside.length === 0
    ? null
    : `$ref stands beside ${beside.join(", ").slice(0, 200)}, which draft 7 ignores then: put it into allOf, or have $schema say 2020-12`;
}

/** Keywords whose parts are about the same list, beside those that are referred to. */
const inPlace = /^(?:\/(?:(?:allOf|anyOf|oneOf)\/\d+|if|then|else|not|dependentSchemas\/[^/]*))*$/;

/**
 * Keywords whose sight of a list or an object is lost on the way to a keyword that says what
 * remains.
 */
const unseen: Readonly<Record<string, (one: Keyword, at: string) => boolean>> = {
  unevaluatedItems: ({ keyword, at: place }, at) =>
    keyword === "contains" || (keyword === "items" && place !== at),
  unevaluatedProperties: () => false,
};

function reasonOfRest({ at, keyword }: Keyword, { keywords }: Whole): string | null {
  const near = keywords.filter(
    (one) => one.at.startsWith(at) && inPlace.test(one.at.slice(at.length)),
  );
  const others = near.some((one) => one.keyword === "$ref") ? keywords : near;
  const isUnseen = unseen[keyword] ?? (() => false);
  const found = others.find(
    (one) => isUnseen(one, at) || (one.keyword === "if" && own(one.schema, "then") === undefined),
  );
  if (found === undefined) return null;
  const what = found.keyword === "if" ? "if without then" : found.keyword;
  return `${keyword} is not supported where ${what} (${found.at || "/"}) is about the same value: say what there is without it`;
}

function reasonOfDialect(value: Json, dialect: Dialect): string | null {
  const found = typeof value === "string" ? dialectNamed(value) : undefined;
  if (found === dialect) return null;
  const said = typeof value === "string" ? value.slice(0, 200) : "what $schema says";
  return found === undefined
    ? `the dialect ${said} is not supported: these are, http://json-schema.org/draft-07/schema# and https://json-schema.org/draft/2020-12/schema`
    : `the schema has parts of two dialects: ${said} is not that of the whole`;
}

/**
 * A format beside a pattern is a word for people: the pattern says what is meant, and is checked.
 */
function reasonOfFormat(value: Json, schema: JsonSchema): string | null {
  if (typeof value !== "string" || isCheckedFormat(schema)) return null;
  if (formatsOfAll.has(value) || typeof own(schema, "pattern") === "string") return null;
  return `the format ${value.slice(0, 200)} is not checked: put a pattern beside it, or leave it out`;
}

/**
 * Whether the format of a schema is checked. Beside a pattern it is not: libraries write a pattern
 * that says what they check, such as a date and time without a zone.
 */
export const isCheckedFormat = (schema: JsonSchema): boolean => {
  const format = own(schema, "format");
  return (
    typeof format === "string" &&
    Object.hasOwn(formats, format) &&
    typeof own(schema, "pattern") !== "string"
  );
};

/** Keywords that say something to people and tools, and nothing of values. */
const annotations = [
  "$anchor",
  "$comment",
  "$dynamicAnchor",
  "$id",
  "$ref",
  "$schema",
  "$vocabulary",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "default",
  "deprecated",
  "description",
  "discriminator",
  "example",
  "examples",
  "externalDocs",
  "format",
  "pattern",
  "readOnly",
  "title",
  "writeOnly",
  "xml",
] as const;

/** Whether a keyword checks nothing by itself. */
const isSaid = (keyword: string): boolean =>
  (annotations as readonly string[]).includes(keyword) &&
  keyword !== "format" &&
  keyword !== "pattern"
    ? true
    : (definitions as readonly string[]).includes(keyword);

const known: ReadonlySet<string> = new Set<string>([
  ...annotations,
  ...composing,
  ...conditional,
  ...copied,
  ...definitions,
  ...dependent,
  ...listed,
  ...named,
  ...single,
]);

/**
 * Keywords that no dialect has, and that are no extension by their name: often they are misspelt.
 */
export const unknownIn = (schema: JsonSchema): readonly SchemaFault[] =>
  keywordsIn(schema)
    .filter(({ keyword }) => !known.has(keyword) && /^[$A-Za-z]+$/.test(keyword))
    .map(({ at, keyword }) => ({
      pointer: `${at}/${keyword}`,
      detail: "is no keyword of JSON Schema: nothing is checked by it",
    }));
