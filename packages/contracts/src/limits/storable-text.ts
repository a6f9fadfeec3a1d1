import { controlCharacters } from "@holdfast/domain";

/**
 * The text as Postgres and JSON can keep it: a NUL and half a character become U+FFFD, and what is
 * longer than `longest` is cut.
 */
export function storableText(text: string, longest: number): string {
  const cut = text.length > longest ? text.slice(0, longest) : text;
  return cut.replaceAll("\0", "\ufffd").toWellFormed();
}

const unreadable = new RegExp(`[${controlCharacters}]`, "g");
const unprintable = new RegExp(`[${controlCharacters}\\t\\n]`, "g");

/**
 * The text as it can be kept and commands no terminal: control characters become U+FFFD, too. For
 * texts that people read, where refusing would lose more.
 */
export const readableText = (text: string, longest: number): string =>
  storableText(text, longest).replace(unreadable, "\ufffd");

/** The text as `readableText` makes it, on one line: for codes. */
export const printableText = (text: string, longest: number): string =>
  storableText(text, longest).replace(unprintable, "\ufffd");
