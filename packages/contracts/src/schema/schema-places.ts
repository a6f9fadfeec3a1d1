import { decodePercents, type Json } from "@holdfast/domain";
import { definitions, isObject, type JsonSchema, mapsOf, own, partsOf } from "./schema-keywords.ts";

/**
 * Parts, and values of lists, in one schema, references not followed: compiling takes time by them.
 */
export const mostParts = 1_000;

/** A part of a schema, as a JSON pointer, and what is wrong with it. */
export interface SchemaFault {
  readonly pointer: string;
  readonly detail: string;
}

/** A place in a schema where a schema stands. */
interface Place {
  readonly schema: Json;
  /** The pointer of the innermost schema with an `$id` around it: its references begin there. */
  readonly base: string;
}

/** Places of schemas by pointer, by `$id`, and by anchor. */
export interface Places {
  readonly all: ReadonlyMap<string, Place>;
  readonly ids: ReadonlyMap<string, string>;
  readonly anchors: ReadonlyMap<string, string>;
}

/** A schema has more parts than are compiled. */
export class TooManyParts extends Error {}

/** Finds where schemas stand in a schema. */
export function findPlaces(root: JsonSchema): Places {
  const all = new Map<string, Place>();
  const ids = new Map<string, string>();
  const anchors = new Map<string, string>();
  const visit = (schema: Json, pointer: string, around: string): void => {
    if (all.size >= mostParts) throw new TooManyParts();
    if (!isObject(schema)) {
      all.set(pointer, { schema, base: around });
      return;
    }
    const { $id: id, $anchor, $dynamicAnchor } = schema;
    const hasOwnName = typeof id === "string" && !id.startsWith("#");
    const base = hasOwnName ? pointer : around;
    if (hasOwnName) ids.set(id.replace(/#$/, ""), pointer);
    else if (typeof id === "string") anchors.set(`${base}${id}`, pointer);
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") anchors.set(`${base}#${anchor}`, pointer);
    }
    all.set(pointer, { schema, base });
    for (const [path, part] of [...partsOf(schema), ...mapsOf(schema, definitions)]) {
      visit(part, `${pointer}${path}`, base);
    }
  };
  visit(root, "", "");
  return { all, ids, anchors };
}

/**
 * The pointer that a reference leads to; null: it leads to another schema. Throws for one that
 * leads nowhere in its own schema.
 */
export function resolveReference(
  ref: string,
  from: string,
  { all, ids, anchors }: Places,
): string | null {
  const [uri = "", ...rest] = ref.split("#");
  const fragment = rest.join("#");
  const base = uri === "" ? all.get(from)?.base : ids.get(uri);
  if (base === undefined) return null;
  const pointer =
    fragment === "" || fragment.startsWith("/")
      ? `${base}${fragment.split("/").map(decoded).join("/")}`
      : anchors.get(`${base}#${fragment}`);
  if (pointer === undefined || !all.has(pointer)) {
    throw new Error(`can't resolve reference ${ref.slice(0, 200)}: no schema stands there`);
  }
  return pointer;
}

/** A step of a pointer in a URI, as it stands in a pointer. */
const decoded = (step: string): string => decodePercents(step) ?? step;

/** Whether a schema says which properties or items remain when others have been seen. */
export const saysWhatRemains = (schema: Json): boolean =>
  isObject(schema) &&
  (own(schema, "unevaluatedProperties") !== undefined ||
    own(schema, "unevaluatedItems") !== undefined);

/** The names of the properties that a schema knows. */
export const namesIn = (schema: Json): readonly string[] =>
  isObject(schema) && isObject(own(schema, "properties"))
    ? Object.keys(schema["properties"] as object)
    : [];
