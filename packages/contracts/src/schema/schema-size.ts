import type { Json } from "@holdfast/domain";
import { isObject, type JsonSchema, own, partsOf } from "./schema-keywords.ts";

/** Parts, each reference as what it stands for. */
export const mostExpanded = 10_000;

/** Parts of a plain schema, each reference as what it stands for; one that is met inside itself counts once. */
export function expandedSize(root: JsonSchema): number {
  const known = new Map<Json, number>();
  const underWay = new Set<Json>();
  const sizeOf = (schema: Json): number => {
    if (!isObject(schema)) return 1;
    if (underWay.has(schema)) return 1;
    const before = known.get(schema);
    if (before !== undefined) return before;
    underWay.add(schema);
    const ref = own(schema, "$ref");
    const target = typeof ref === "string" ? targetIn(root, ref) : undefined;
    let size = 1 + (target === undefined ? 0 : sizeOf(target));
    for (const [, part] of partsOf(schema)) size = Math.min(size + sizeOf(part), mostExpanded + 1);
    underWay.delete(schema);
    known.set(schema, size);
    return size;
  };
  return sizeOf(root);
}

/** Keywords whose parts check the same value as the schema that they stand in. */
const sameValue = /^\/(allOf|anyOf|oneOf|not|if|then|else|dependencies|dependentSchemas)(\/|$)/;

/** Whether a part is met again inside itself for the same value: its check would never end. */
export function isEndless(root: JsonSchema): boolean {
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
