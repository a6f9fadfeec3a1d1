import { RequestError, reasonOf } from "./errors.ts";

/**
 * Writes a body as JSON. Throws a `RequestError` with the place for what JSON cannot hold: it would
 * be lost, or become something else, without a word. A field that is undefined is left out, as it
 * is everywhere.
 */
export function jsonText(body: unknown): string {
  const lost: unknown[] = [];
  try {
    const text = JSON.stringify(
      body,
      function check(this: Readonly<Record<string, unknown>>, key, value: unknown) {
        // What a date says of itself is null where it is none.
        if (whyNot(this[key], this) !== null || whyNot(value, this) !== null) lost.push(value);
        return value;
      },
    );
    if (lost.length === 0) return text;
  } catch (cause) {
    throw refusal(body, cause);
  }
  throw refusal(body);
}

function refusal(body: unknown, cause?: unknown): RequestError {
  const found = findUnwritable(body, { pointer: "", above: [] });
  const reason = cause === undefined ? "it is no JSON" : reasonOf(cause);
  const { pointer, why } = found ?? { pointer: "", why: reason };
  const where = pointer === "" ? "The body" : `${pointer} of the body`;
  return new RequestError(`${where} cannot be sent as JSON: ${why}`, { cause, pointer });
}

interface Unwritable {
  readonly pointer: string;
  readonly why: string;
}

interface Place {
  readonly pointer: string;
  /** The objects and lists that hold it, the outermost first. */
  readonly above: readonly unknown[];
}

/** The first value that JSON cannot hold; null: none was found. */
function findUnwritable(value: unknown, { pointer, above }: Place): Unwritable | null {
  const why = above.includes(value) ? "it holds itself" : whyNot(value, above.at(-1));
  if (why !== null) return { pointer, why };
  if (typeof value !== "object" || value === null || "toJSON" in value) return null;
  // What is deeper is refused by the service; a walk without an end is none.
  if (above.length > 1_000) return null;
  for (const [key, part] of entriesOf(value)) {
    const below = `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const found = findUnwritable(part, { pointer: below, above: [...above, value] });
    if (found !== null) return found;
  }
  return null;
}

/** The elements of a list, holes too, or the fields of an object. */
const entriesOf = (value: object): Iterable<readonly [string | number, unknown]> =>
  Array.isArray(value) ? (value as unknown[]).entries() : Object.entries(value);

/** Why a value cannot be written by itself; null: it can. */
function whyNot(value: unknown, holder: unknown): string | null {
  switch (typeof value) {
    case "undefined":
      return Array.isArray(holder)
        ? "it is undefined; a list has null where there is nothing"
        : null;
    case "bigint":
      return "it is a bigint; send it as a text, or as a number where that holds it";
    case "number":
      return Number.isFinite(value) ? null : `it is ${value}, which JSON has not`;
    case "function":
    case "symbol":
      return `it is a ${typeof value}`;
    case "object":
      if (value instanceof Date && Number.isNaN(value.getTime())) return "it is an invalid date";
      return isLost(value) ? `it is a ${value?.constructor.name}: send its values` : null;
    case "boolean":
    case "string":
      return null;
  }
}

/** Objects whose content is not in fields: JSON has `{}` for them, or a table of bytes. */
const isLost = (value: object | null): boolean =>
  value instanceof Map ||
  value instanceof Set ||
  value instanceof Promise ||
  value instanceof RegExp ||
  ArrayBuffer.isView(value) ||
  value instanceof ArrayBuffer;
