import type { Meter } from "./meter.ts";
import { parsePattern, UnsupportedPattern } from "./parse-pattern.ts";
import {
  ascii,
  compilePattern,
  type Instruction,
  type Look,
  type Program,
  sizeOf,
} from "./pattern-program.ts";

/** A regular expression that takes time in proportion to the text, whatever the text. */
export interface LinearPattern {
  /** Whether the pattern matches somewhere in the text. */
  test(text: string): boolean;
  /** What it takes to hold and to compile it, in instructions. */
  readonly size: number;
  /** Its source: Ajv tells patterns apart by that. */
  toString(): string;
}

/** Characters of a pattern. */
const longestPattern = 2_000;
/** Instructions of a pattern: `.{1,4000}` has more. */
const mostInstructions = 8_000;
/** What it costs to compile a class of characters, in instructions, and one with a property of Unicode. */
const classCost = 5;
const propertyCost = 200;

/**
 * Compiles a regular expression of JSON Schema. Its texts are matched by following all possible ways at once, so
 * none is ever tried a second time; each step counts on the meter. Throws an `UnsupportedPattern` that says what to
 * do, and a `SyntaxError` for what is no regular expression.
 */
export function linearPattern(source: string, meter: Meter): LinearPattern {
  if (source.length > longestPattern) {
    throw new UnsupportedPattern(
      `is ${source.length} characters long, of at most ${longestPattern}: divide it, or check the text in the Agent`,
    );
  }
  const tree = parsePattern(source);
  const size = sizeOf(tree) + 1;
  if (size > mostInstructions) {
    throw new UnsupportedPattern(
      `repeats too much (${mostInstructions} parts at most): say how long the text is by maxLength`,
    );
  }
  const looks: Look[] = [];
  const main = compilePattern(tree, { isBackward: false, looks });
  return {
    size:
      size + classCost * countOf(source, /[[\\]/g) + propertyCost * countOf(source, /\\[pP]\{/g),
    test(text) {
      const found: Uint8Array[] = [];
      // A look stands in the list behind those that it contains.
      for (const one of looks) found.push(scanAll(one, text, { found, meter }));
      return scan(main, text, { found, meter });
    },
    toString: () => source,
  };
}

/** Steps that it takes to ask the engine for a character that is not in the table. */
const beyondAscii = 5;

const countOf = (source: string, token: RegExp): number => source.match(token)?.length ?? 0;

interface Scanning {
  /** For each look, by the position: 1 where it is found. */
  readonly found: readonly Uint8Array[];
  readonly meter: Meter;
}

/** The positions at which a look ahead begins, or a look behind ends. */
function scanAll({ program, isBackward }: Look, text: string, scanning: Scanning): Uint8Array {
  scanning.meter.spend(text.length / 8);
  const matches = new Uint8Array(text.length + 1);
  scan(program, text, { ...scanning, isBackward, matches });
  return matches;
}

/** Whether the program matches anywhere; with `matches` it goes on to the end, and marks where. */
function scan(
  { instructions, reached, isAnchored: once }: Program,
  text: string,
  {
    found,
    meter,
    isBackward = false,
    matches,
  }: Scanning & { readonly isBackward?: boolean; readonly matches?: Uint8Array },
): boolean {
  reached.fill(0);
  meter.spend(reached.length / 16);
  let waiting: number[] = [];
  let stack: number[] = [];
  let position = isBackward ? text.length : 0;
  const last = isBackward ? 0 : text.length;
  const canBegin = !once || matches !== undefined;
  for (let isFirst = true; ; isFirst = false) {
    if (isFirst || canBegin) stack.push(0);
    waiting = [];
    let steps = 1;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      steps += 1;
      if (reached[at] === position + 1) continue;
      reached[at] = position + 1;
      const one = instructions[at]!;
      if (one.op === "character") waiting.push(at);
      else if (one.op === "fork") {
        stack.push(one.to);
        if (one.or !== one.to) stack.push(one.or);
      } else if (one.op === "match") {
        if (matches === undefined) return true;
        matches[position] = 1;
      } else if (holds(one, text, { position, found })) stack.push(at + 1);
    }
    if (position === last || (waiting.length === 0 && !canBegin)) {
      meter.spend(steps);
      return false;
    }
    const point = isBackward ? pointBefore(text, position) : text.codePointAt(position)!;
    meter.spend(steps + waiting.length * (point < ascii ? 1 : beyondAscii));
    position += (isBackward ? -1 : 1) * (point > 0xffff ? 2 : 1);
    stack = [];
    for (const at of waiting) {
      const one = instructions[at]!;
      if (one.op === "character" && one.is(point)) stack.push(at + 1);
    }
  }
}

/** Whether a condition on a position holds there. */
function holds(
  condition: Extract<Instruction, { op: "edge" | "look" }>,
  text: string,
  { position, found }: { readonly position: number; readonly found: readonly Uint8Array[] },
): boolean {
  if (condition.op === "look") {
    return (found[condition.index]![position] === 1) !== condition.isNegative;
  }
  switch (condition.edge) {
    case "^":
      return position === 0;
    case "$":
      return position === text.length;
    case "\\b":
      return isWord(text[position - 1]) !== isWord(text[position]);
    case "\\B":
      return isWord(text[position - 1]) === isWord(text[position]);
  }
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /\w/.test(character);

/** The number of the character that ends at a position. */
function pointBefore(text: string, position: number): number {
  const point = text.codePointAt(position - 2);
  return point !== undefined && point > 0xffff ? point : text.charCodeAt(position - 1);
}
