import { ContractFault, type Json, type Template } from "@holdfast/domain";
import { templateOf } from "./ref.ts";

type Path = readonly string[];
type Write = (value: unknown, path: Path) => Json;

/** The depth that a payload may have. */
const deepest = 32;

/**
 * Writes down what an author hands to a step: refs by their pointers, and what is made of refs by
 * its parts, data as it is. Objects with keys that would mean something in a template are escaped.
 * Throws a `ContractFault` at what JSON cannot hold.
 */
export function toTemplate(value: unknown, path: Path = []): Template {
  const template = templateOf(value);
  if (template !== null) return template;
  return hasReservedKey(value)
    ? { $literal: toLiteral(value, path) }
    : copy(value, path, toTemplate);
}

const toLiteral: Write = (value, path) =>
  templateOf(value) === null
    ? copy(value, path, toLiteral)
    : refuse(path, "a ref cannot stand below a key that begins with $");

function copy(value: unknown, path: Path, write: Write): Json {
  if (path.length > deepest) return refuse(path, `nothing may be deeper than ${deepest} levels`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => write(item, [...path, `${index}`]));
  return isPlainObject(value)
    ? copyEntries(value, path, write)
    : refuse(path, `${describe(value)} is not JSON`);
}

/** What is undefined is left out, as `JSON.stringify` does. */
function copyEntries(value: object, path: Path, write: Write): Json {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, write(item, [...path, key])]));
}

const hasReservedKey = (value: unknown): boolean =>
  isPlainObject(value) && Object.keys(value).some((key) => key.startsWith("$"));

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const describe = (value: unknown): string =>
  typeof value === "object" && value !== null ? `a ${value.constructor.name}` : String(value);

function refuse(path: Path, why: string): never {
  const place = path.length === 0 ? "" : `at /${path.join("/")}: `;
  throw new ContractFault("workflow.invalid", place + why);
}
