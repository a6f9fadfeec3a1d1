/**
 * The text as Postgres and JSON can keep it: a NUL and half a character become U+FFFD, and what is
 * longer than `longest` is cut. For texts that people read, where refusing would lose more.
 */
export function storableText(text: string, longest: number): string {
  const cut = text.length > longest ? text.slice(0, longest) : text;
  return cut.replaceAll("\0", "\ufffd").toWellFormed();
}
