/** What the bytes of a file say, or why they say nothing. */
export type BytesAsText =
  | { readonly text: string; readonly fault: null }
  | { readonly text: null; readonly fault: string };

const byteOrderMark = {
  utf8: [0xef, 0xbb, 0xbf],
  little: [0xff, 0xfe],
  big: [0xfe, 0xff],
} as const;

/**
 * Reads the bytes of a file that a person wrote, with whatever editor, as a text in UTF-8: a byte
 * order mark is no part of it. What is in another encoding has no text, but a reason that follows
 * the name of the file in a sentence.
 */
export function textOfBytes(bytes: Uint8Array): BytesAsText {
  if (isUtf16(bytes)) return { text: null, fault: "is in UTF-16: save it as UTF-8" };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), fault: null };
  } catch {
    const line = lineOfFault(bytes);
    return { text: null, fault: `is not in UTF-8 (line ${line}): save it as UTF-8` };
  }
}

/** Whether bytes have the mark of UTF-16, or begin with a letter beside a zero. */
function isUtf16(bytes: Uint8Array): boolean {
  const startsWith = (mark: readonly number[]) => mark.every((byte, at) => bytes[at] === byte);
  if (startsWith(byteOrderMark.little) || startsWith(byteOrderMark.big)) return true;
  const [first, second] = bytes;
  return first !== undefined && second !== undefined && (first === 0) !== (second === 0);
}

const newLine = 0x0a;

/** The line of the first byte that is not UTF-8. */
function lineOfFault(bytes: Uint8Array): number {
  let line = 1;
  for (let from = 0; from < bytes.length; line += 1) {
    const end = bytes.indexOf(newLine, from);
    const upto = end === -1 ? bytes.length : end + 1;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(from, upto));
    } catch {
      return line;
    }
    from = upto;
  }
  return line;
}

/** The line, counted from 1, at which a text stops being JSON. */
export function lineOfJsonFault(text: string): number {
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (canBeginJson(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return text.slice(0, good).split("\n").length;
}

/** Whether a text may be the beginning of JSON: it is JSON, or breaks off at its end. */
function canBeginJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
    return /end of JSON input|Unterminated/.test(message) || position >= text.length;
  }
}
