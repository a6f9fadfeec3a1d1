import { isUtf8 } from "node:buffer";
import { ChangedJson, changesIn, type Json, keepsNumber, type ValueFault } from "@holdfast/domain";
import { limits } from "../limits/limits.ts";

const utf8 = new TextDecoder();

/**
 * Reads JSON in UTF-8, with or without a byte order mark. Whatever lies deeper than
 * `limits.messageDepth` is left out: no field of ours is as deep, and a payload that was cut there
 * is still too deep for `payloadFaults`. So nothing that is read exhausts the stack of what walks
 * through it later.
 *
 * Throws a `SyntaxError` for anything else: bytes that are no UTF-8 would otherwise be replaced
 * silently, and more than `limits.messageValues` values take many times the memory of their bytes.
 * JSON that would be changed by being read is its kind `ChangedJson`.
 */
export function parseJson(content: Buffer): Json {
  if (!isUtf8(content)) throw new SyntaxError("The bytes are not UTF-8");
  const { text, shape } = withinDepth(content);
  if (shape.values > limits.messageValues) {
    throw new SyntaxError(
      `The text has ${shape.values} values, of at most ${limits.messageValues}`,
    );
  }
  const json = parse(text);
  const faults = changesOf(text, json, shape);
  if (faults.length > 0) throw new ChangedJson(faults, json);
  return json;
}

/**
 * A text that may be JSON without what lies deeper than `limits.messageDepth`, and its shape: for
 * every way in, since `JSON.parse` reads any depth, and whatever walks through the value later
 * would exhaust its stack.
 */
export function withinDepth(content: Buffer): { readonly text: Buffer; readonly shape: Shape } {
  const shape = shapeOf(content, limits.messageDepth);
  if (shape.depth <= limits.messageDepth) return { text: content, shape };
  const text = withoutDepths(content, limits.messageDepth);
  return { text, shape: shapeOf(text) };
}

/**
 * What of a text of JSON its value does not keep, with the places: numbers that are rounded, and
 * fields that stand twice. Costs next to nothing where that is all of it.
 */
export function changesOf(
  content: Buffer,
  json: unknown,
  { fields, isRounded }: Shape = shapeOf(content),
): readonly ValueFault[] {
  return isRounded || fieldsIn(json) < fields ? changesIn(utf8.decode(content)) : [];
}

/** The fields of all objects in a value, which is no deeper than `limits.messageDepth`. */
function fieldsIn(json: unknown): number {
  if (typeof json !== "object" || json === null) return 0;
  let fields = 0;
  if (Array.isArray(json)) for (const item of json) fields += fieldsIn(item);
  else for (const name in json) fields += 1 + fieldsIn((json as Record<string, unknown>)[name]);
  return fields;
}

function parse(bounded: Buffer): Json {
  try {
    return JSON.parse(utf8.decode(bounded)) as Json;
  } catch (error) {
    // The engine's words quote the text around the fault, which is no business of any log.
    const [position = "at its end"] = /at position \d+/.exec((error as Error).message) ?? [];
    throw new SyntaxError(`The text is not JSON: it breaks off ${position}`);
  }
}

const byte = { quote: 0x22, comma: 0x2c, colon: 0x3a, backslash: 0x5c } as const;
const opens = (code: number): boolean => code === 0x5b || code === 0x7b;
const closes = (code: number): boolean => code === 0x5d || code === 0x7d;

/** The shape of a text that may be JSON. */
export interface Shape {
  readonly depth: number;
  /** Values on the levels that are counted. */
  readonly values: number;
  /** Fields of objects. */
  readonly fields: number;
  /** A number in it is not kept to the digit. */
  readonly isRounded: boolean;
}

/**
 * The shape of a text that may be JSON: at most so many levels, and so many values on the first
 * `counted` of them. Nothing is read for it.
 */
export function shapeOf(content: Buffer, counted = Number.POSITIVE_INFINITY): Shape {
  let [level, depth, values, fields] = [0, 0, 1, 0];
  let isRounded = false;
  for (let index = 0; index < content.length; index += 1) {
    const code = content[index] as number;
    if (code === byte.quote) index = endOfText(content, index);
    else if (code === byte.comma) values += level <= counted ? 1 : 0;
    else if (code === byte.colon) fields += 1;
    else if (isDigit(code)) {
      const end = endOfNumber(content, index);
      isRounded ||= mayBeRounded(content, index, end) && !keepsNumber(textAt(content, index, end));
      index = end - 1;
    } else if (opens(code)) {
      // What stands in it is counted with it: its first value has no comma before it.
      level += 1;
      values += level <= counted ? 1 : 0;
      if (level > depth) depth = level;
    } else if (closes(code)) level -= 1;
  }
  return { depth, values, fields, isRounded };
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isExponent = (code: number): boolean => code === 0x65 || code === 0x45;
/** The characters of a number: digits, `.`, `+`, `-`, `e` and `E`. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || isExponent(code) || code === 0x2b || code === 0x2d;

function endOfNumber(content: Buffer, start: number): number {
  let end = start + 1;
  while (end < content.length && isOfNumber(content[end] as number)) end += 1;
  return end;
}

/** Digits of which a double keeps each. */
const surelyKept = 15;

/**
 * Whether a number has to be looked at: one of few digits and without an exponent is kept, whatever
 * it is.
 */
function mayBeRounded(content: Buffer, start: number, end: number): boolean {
  if (end - start > surelyKept) return true;
  for (let index = start + 1; index < end; index += 1) {
    if (isExponent(content[index] as number)) return true;
  }
  return false;
}

const textAt = (content: Buffer, start: number, end: number): string =>
  content.toString("latin1", start, end);

/** The end of the text that begins at `start`; that of everything, if it does not end. */
function endOfText(content: Buffer, start: number): number {
  for (let index = start + 1; index < content.length; index += 1) {
    const code = content[index];
    if (code === byte.quote) return index;
    if (code === byte.backslash) index += 1;
  }
  return content.length;
}

/** The same JSON, in which every list and object at level `most` is empty. */
function withoutDepths(content: Buffer, most: number): Buffer {
  const kept: Buffer[] = [];
  let [level, from] = [0, 0];
  for (let index = 0; index < content.length; index += 1) {
    const code = content[index] as number;
    if (code === byte.quote) index = endOfText(content, index);
    else if (opens(code)) {
      level += 1;
      if (level === most) kept.push(content.subarray(from, index + 1));
    } else if (closes(code)) {
      if (level === most) from = index;
      level -= 1;
    }
  }
  return Buffer.concat([...kept, content.subarray(from)]);
}
