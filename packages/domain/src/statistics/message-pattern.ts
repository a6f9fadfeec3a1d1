/** Characters of a message that are looked at, and of its pattern. */
const mostRead = 2_000;
const mostKept = 200;

/** A quoted value: between quotes that do not stand inside a word, as apostrophes do. */
const quoted = /(?<![\p{L}\p{N}])(?:"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”|«[^»]*»)(?![\p{L}\p{N}])/gu;
/** A word with its inner punctuation: an id, an address, an instant and a number are one each. */
const word = /[\p{L}\p{N}_](?:[\p{L}\p{N}_.:@/+-]*[\p{L}\p{N}_])?/gu;
/** Has a digit, or is made of hexadecimal digits and too long for most words. */
const varies = /\p{N}|^[a-f]{8,}$/iu;

/**
 * A message without what differs from one failure to the next: numbers, ids and quoted values
 * become `#`, and a list of them a single one. At most 200 characters, in time that grows with the
 * length of the message alone.
 */
export function messagePattern(message: string): string {
  const pattern = message
    .slice(0, mostRead)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Z}\s]+/gu, " ")
    .replace(quoted, "#")
    .replace(word, (part) => (varies.test(part) ? "#" : part))
    .replace(/[-+]+#/g, "#")
    .replace(/#(?:[\s,;.:/-]*#)+/g, "#")
    .trim();
  return pattern.length <= mostKept ? pattern : cut(pattern);
}

/** Half a character would not be text. */
const cut = (text: string): string =>
  text
    .slice(0, mostKept)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trim();
