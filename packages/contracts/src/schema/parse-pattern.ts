/** A regular expression as a tree. Groups have no node: nothing is captured. */
export type PatternNode =
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly part: PatternNode;
      readonly min: number;
      readonly max: number;
    }
  /** One character, by the source that says which: `a`, `.`, `\d`, `[^x]`. */
  | { readonly kind: "character"; readonly source: string }
  | { readonly kind: "edge"; readonly edge: PatternEdge }
  /** What must follow, or go before, without being taken. */
  | {
      readonly kind: "look";
      readonly part: PatternNode;
      readonly isBehind: boolean;
      readonly isNegative: boolean;
    };

/** The two ends of the text, and where a word begins or ends, or does not. */
export type PatternEdge = "^" | "$" | "\\b" | "\\B";

/**
 * A pattern that JavaScript can match, and this engine cannot, or not in as little time and memory
 * as it may take.
 */
export class UnsupportedPattern extends Error {}

const look = /\(\?(<?)([=!])/y;
const group = /\((?:\?:|\?<[^>]*>)?/y;
const edge = /\^|\$|\\[bB]/y;
const backReference = /\\(?:[1-9]|k)/y;
const escape =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^])/uy;
const characterClass = /\[(?:\\[^]|[^\]\\])*\]/uy;
const character = /[^]/uy;
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;

/** A pattern that is being read. */
interface Reading {
  readonly source: string;
  at: number;
}

/**
 * Reads a regular expression as JSON Schema has it: that of JavaScript with the flag `u`. Throws a
 * `SyntaxError` for what is none, and an `UnsupportedPattern` for one that cannot be matched in
 * linear time.
 */
export function parsePattern(source: string): PatternNode {
  // What follows relies on it: JavaScript refuses what is no regular expression.
  void new RegExp(source, "u");
  return readChoice({ source, at: 0 });
}

/** Reads a token that stands here; null: another one does. */
function take(reading: Reading, token: RegExp): RegExpExecArray | null {
  token.lastIndex = reading.at;
  const found = token.exec(reading.source);
  if (found !== null) reading.at = token.lastIndex;
  return found;
}

const next = ({ source, at }: Reading): string | undefined => source[at];

function readChoice(reading: Reading): PatternNode {
  const options = [readSequence(reading)];
  while (next(reading) === "|") {
    reading.at += 1;
    options.push(readSequence(reading));
  }
  return options.length === 1 ? options[0]! : { kind: "choice", options };
}

function readSequence(reading: Reading): PatternNode {
  const parts: PatternNode[] = [];
  while (![undefined, "|", ")"].includes(next(reading))) {
    parts.push(repeated(readTerm(reading), reading));
  }
  return { kind: "sequence", parts };
}

/** Reads what stands in parentheses, and the one that ends it. */
function readGroup(reading: Reading): PatternNode {
  const inside = readChoice(reading);
  reading.at += 1;
  return inside;
}

function readTerm(reading: Reading): PatternNode {
  const { at } = reading;
  const looking = take(reading, look);
  if (looking !== null) {
    const [, behind, sign] = looking;
    const part = readGroup(reading);
    return { kind: "look", part, isBehind: behind === "<", isNegative: sign === "!" };
  }
  if (take(reading, group) !== null) {
    if (next(reading) !== "?") return readGroup(reading);
    throw new UnsupportedPattern(`has a group with flags at ${at}: write it without`);
  }
  const [boundary] = take(reading, edge) ?? [];
  if (boundary !== undefined) return { kind: "edge", edge: boundary as PatternEdge };
  if (take(reading, backReference) !== null) {
    throw new UnsupportedPattern(
      `refers back to a group at ${at}, which takes exponential time: write it without`,
    );
  }
  const [one = ""] =
    take(reading, escape) ?? take(reading, characterClass) ?? take(reading, character) ?? [];
  return { kind: "character", source: one };
}

/**
 * A number above all by which a pattern may repeat anything. A count has any number of digits, and
 * beyond the largest number counts are equal.
 */
const mostTimes = 1_000_000;
const timesOf = (digits: string | undefined): number => Math.min(mostTimes, Number(digits));

/** Reads how often a part stands there. */
function repeated(part: PatternNode, reading: Reading): PatternNode {
  const found = take(reading, quantifier);
  if (found === null) return part;
  const [, sign, least, comma, most] = found;
  const ever = Number.POSITIVE_INFINITY;
  if (sign !== undefined) {
    return { kind: "repeat", part, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : ever };
  }
  const min = timesOf(least);
  if (comma === "") return { kind: "repeat", part, min, max: min };
  return { kind: "repeat", part, min, max: most === "" ? ever : timesOf(most) };
}
