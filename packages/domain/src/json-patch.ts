import type { Json } from "./json.ts";
import { canonicalJson } from "./json-text.ts";
import { indexIn, parsePointer } from "./template.ts";

/**
 * One change of a JSON value: those of RFC 6902 that say what they change without a second place.
 */
export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** Changes of a JSON value, one after the other (RFC 6902). */
export type JsonPatch = readonly PatchOperation[];

/** What became of a value; or which place of it does not fit the patch, and why. */
export type Patched =
  | { readonly value: Json }
  | { readonly pointer: string; readonly problem: string };

/** Applies all changes of a patch, or none: it does not fit the value. */
export function applyPatch(value: Json, patch: JsonPatch): Patched {
  let patched = value;
  for (const operation of patch) {
    const changed = changeAt(patched, parsePointer(operation.path), operation);
    if (typeof changed === "string") return { pointer: operation.path, problem: changed };
    if (changed.value === undefined)
      return { pointer: "", problem: "cannot be removed: it is all" };
    patched = changed.value;
  }
  return { value: patched };
}

/** A value after a change, undefined once it is removed; or why it cannot be changed so. */
type Changed = { readonly value: Json | undefined } | string;

function changeAt(
  value: Json | undefined,
  [key, ...below]: readonly string[],
  operation: PatchOperation,
): Changed {
  if (key === undefined) return changeOf(value, operation);
  if (Array.isArray(value)) return changeInList(value, [key, ...below], operation);
  if (typeof value !== "object" || value === null) return "has nothing to stand in";
  const fields = value as { readonly [key: string]: Json };
  const found = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (found === undefined && below.length > 0) return "has nothing to stand in";
  const changed = changeAt(found, below, operation);
  if (typeof changed === "string") return changed;
  if (changed.value !== undefined) return { value: { ...fields, [key]: changed.value } };
  return { value: Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key)) };
}

function changeInList(
  list: readonly Json[],
  [key = "", ...below]: readonly string[],
  operation: PatchOperation,
): Changed {
  const isInserted = below.length === 0 && operation.op === "add";
  const index = key === "-" && isInserted ? list.length : indexIn(key);
  if (index === null || index > list.length || (index === list.length && !isInserted)) {
    return `is no place of a list of ${list.length}`;
  }
  if (isInserted) return { value: list.toSpliced(index, 0, operation.value) };
  const changed = changeAt(list[index], below, operation);
  if (typeof changed === "string") return changed;
  return {
    value: changed.value === undefined ? list.toSpliced(index, 1) : list.with(index, changed.value),
  };
}

function changeOf(value: Json | undefined, operation: PatchOperation): Changed {
  if (operation.op === "add") return { value: operation.value };
  if (value === undefined) return "is not there";
  if (operation.op === "remove") return { value: undefined };
  if (operation.op === "replace") return { value: operation.value };
  const isSame = canonicalJson(value) === canonicalJson(operation.value);
  return isSame ? { value } : "has another value";
}

/**
 * The change that a person writes in one line: `iban=DE…` sets a text, `amount:=5` sets JSON,
 * `-note` removes. A place is a JSON pointer (`lines/0/sku`), whose first slash may be left out.
 * Null: it is none of these.
 */
export function readChange(line: string): PatchOperation | null {
  const [, removed] = /^-([^=]+)$/s.exec(line) ?? [];
  if (removed !== undefined) return { op: "remove", path: pointerOf(removed) };
  const [, place, colon, text = ""] = /^([^=]+?)(:?)=(.*)$/s.exec(line) ?? [];
  if (place === undefined) return null;
  const path = pointerOf(place);
  if (colon === "") return { op: "add", path, value: text };
  try {
    return { op: "add", path, value: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}

/** How a change is written in one line. */
export const changeWords =
  "a place and its value: iban=DE02… for a text, amount:=5 for other JSON, -note to remove";

const pointerOf = (place: string): string => (place.startsWith("/") ? place : `/${place}`);
