import { isUtf8 } from "node:buffer";
import type { Json } from "@holdfast/domain";

const utf8 = new TextDecoder();

/**
 * Reads JSON in UTF-8, with or without a byte order mark. Throws a `SyntaxError` for anything else:
 * bytes that are no UTF-8 would otherwise be replaced silently.
 */
export function parseJson(content: Buffer): Json {
  if (!isUtf8(content)) throw new SyntaxError("The bytes are not UTF-8");
  try {
    return JSON.parse(utf8.decode(content)) as Json;
  } catch (error) {
    // The engine's words quote the text around the fault, which is no business of any log.
    const [position = "at its end"] = /at position \d+/.exec((error as Error).message) ?? [];
    throw new SyntaxError(`The text is not JSON: it breaks off ${position}`);
  }
}
