import { isUtf8 } from "node:buffer";
import type { Json } from "@holdfast/domain";
import { limits } from "../limits/limits.ts";

const utf8 = new TextDecoder();

/**
 * Reads JSON in UTF-8, with or without a byte order mark. Whatever lies deeper than `limits.messageDepth` is left
 * out: no field of ours is as deep, and a payload that was cut there is still too deep for `payloadFaults`.
 * So nothing that is read exhausts the stack of what walks through it later.
 *
 * Throws a `SyntaxError` for anything else: bytes that are no UTF-8 would otherwise be replaced silently, and more
 * than `limits.messageValues` values take many times the memory of their bytes.
 */
export function parseJson(content: Buffer): Json {
  if (!isUtf8(content)) throw new SyntaxError("The bytes are not UTF-8");
  const { depth, values } = shapeOf(content, limits.messageDepth);
  if (values > limits.messageValues) {
    throw new SyntaxError(`The text has ${values} values, of at most ${limits.messageValues}`);
  }
  const bounded =
    depth > limits.messageDepth ? withoutDepths(content, limits.messageDepth) : content;
  try {
    return JSON.parse(utf8.decode(bounded)) as Json;
  } catch (error) {
    // The engine's words quote the text around the fault, which is no business of any log.
    const [position = "at its end"] = /at position \d+/.exec((error as Error).message) ?? [];
    throw new SyntaxError(`The text is not JSON: it breaks off ${position}`);
  }
}

const byte = { quote: 0x22, comma: 0x2c, backslash: 0x5c } as const;
const opens = (code: number): boolean => code === 0x5b || code === 0x7b;
const closes = (code: number): boolean => code === 0x5d || code === 0x7d;

/**
 * The shape of a text that may be JSON: at most so many levels, and so many values on the first `counted` of them.
 * Nothing is read for it.
 */
export function shapeOf(
  content: Buffer,
  counted = Number.POSITIVE_INFINITY,
): { readonly depth: number; readonly values: number } {
  let [level, depth, values] = [0, 0, 1];
  for (let index = 0; index < content.length; index += 1) {
    const code = content[index] as number;
    if (code === byte.quote) index = endOfText(content, index);
    else if (code === byte.comma) values += level <= counted ? 1 : 0;
    else if (opens(code)) {
      // What stands in it is counted with it: its first value has no comma before it.
      level += 1;
      values += level <= counted ? 1 : 0;
      if (level > depth) depth = level;
    } else if (closes(code)) level -= 1;
  }
  return { depth, values };
}

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
