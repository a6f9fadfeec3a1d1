/** Means that a value is no JSON, or would become another value in JSON. A mistake of the caller: no request was sent. */
export class ValueError extends TypeError {
  override readonly name = "ValueError";
  readonly code = "client.value_invalid";
  /** The JSON pointer (RFC 6901) to it, from the body of the request. */
  readonly pointer: string;

  constructor(pointer: string, detail: string) {
    super(`${pointer === "" ? "The value" : pointer} ${detail}`);
    this.pointer = pointer;
  }
}

/**
 * Writes a value as JSON. A field that is undefined is left out, and an element that is undefined is null.
 * Throws a `ValueError` with the place of what JSON has no word for, or another one: a bigint, NaN, a function, a Map, an
 * invalid date, a value within itself. Undefined for undefined.
 */
export function writeJson(value: unknown): string | undefined {
  mustBeJson(value, { keys: [], around: [] });
  return JSON.stringify(value);
}

interface Place {
  readonly keys: readonly (string | number)[];
  readonly around: readonly object[];
}

function mustBeJson(value: unknown, { keys, around }: Place): void {
  const wrong = wordFor(value, around);
  if (wrong !== null) {
    throw new ValueError(keys.map((key) => `/${pointerPart(`${key}`)}`).join(""), `is ${wrong}`);
  }
  if (typeof value !== "object" || value === null) return;
  const within = [...around, value];
  if ("toJSON" in value && typeof value.toJSON === "function") {
    mustBeJson(value.toJSON(keys.at(-1) ?? ""), { keys, around: within });
  } else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      mustBeJson(one, { keys: [...keys, index], around: within });
    }
  } else {
    for (const [key, one] of Object.entries(value)) {
      mustBeJson(one, { keys: [...keys, key], around: within });
    }
  }
}

/** Deeper values are refused wherever they come from, and would take the stack here. */
const deepest = 1_000;

/** What a value is that no JSON stands for; null: it is JSON. */
function wordFor(value: unknown, around: readonly object[]): string | null {
  switch (typeof value) {
    case "bigint":
      return `the bigint ${value}n, which JSON has not: write it as a text`;
    case "number":
      return Number.isFinite(value) ? null : `${value}, which JSON has not`;
    case "function":
    case "symbol":
      return `a ${typeof value}, which JSON has not`;
    case "object":
      return value === null ? null : wordForObject(value, around);
    case "boolean":
    case "string":
    case "undefined":
      return null;
  }
}

function wordForObject(value: object, around: readonly object[]): string | null {
  if (around.includes(value)) return "within itself, which JSON cannot say";
  if (around.length > deepest) return `deeper than ${deepest} levels`;
  if (value instanceof Date && Number.isNaN(value.getTime())) return "an invalid date";
  if ("toJSON" in value) return null;
  const isOther =
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Promise ||
    value instanceof RegExp ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value);
  return isOther
    ? `a ${value.constructor.name}, which JSON has not: give an object, a list or a text`
    : null;
}

/** One key as a part of a pointer. */
const pointerPart = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
