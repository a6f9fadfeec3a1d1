import type { Meter } from "./meter.ts";
import {
  type PatternEdge,
  type PatternNode,
  parsePattern,
  UnsupportedPattern,
} from "./parse-pattern.ts";

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
/**
 * What it costs to compile a class of characters, in instructions, and one with a property of
 * Unicode.
 */
const classCost = 5;
const propertyCost = 200;

/**
 * Compiles a regular expression of JSON Schema. Its texts are matched by following all possible
 * ways at once, so none is ever tried a second time; each step counts on the meter. Throws an
 * `UnsupportedPattern` that says what to do, and a `SyntaxError` for what is no regular expression.
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

/** More instructions than any pattern may have. */
const countless = 1_000_000;

/**
 * How many instructions a pattern takes at most; of a part that takes countless ones no more are
 * counted.
 */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case "sequence":
      // One at least: an empty part that is repeated a million times is no small one.
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 1);
    case "choice":
      return node.options.reduce((sum, option) => sum + sizeOf(option) + 2, 0);
    case "repeat": {
      const { min, max } = node;
      const part = sizeOf(node.part);
      const rest = max === Number.POSITIVE_INFINITY ? part + 2 : (max - min) * (part + 1);
      // Saturates: infinity times 0 would be no number, which is larger than nothing.
      return Math.min(countless, min * part + rest);
    }
    case "look":
      return sizeOf(node.part) + 2;
    case "character":
    case "edge":
      return 1;
  }
}

/**
 * Two ways to go on, or one if they are the same. They are set when the instructions that they lead
 * to are there.
 */
interface Fork {
  readonly op: "fork";
  to: number;
  or: number;
}

type Instruction =
  | { readonly op: "character"; readonly is: CharacterTest }
  | { readonly op: "edge"; readonly edge: PatternEdge }
  | { readonly op: "look"; readonly index: number; readonly isNegative: boolean }
  | Fork
  | { readonly op: "match" };

/** Whether a character, by its number, is one of those that are meant. */
type CharacterTest = (point: number) => boolean;

interface Program {
  readonly instructions: readonly Instruction[];
  /** The position plus one at which each instruction was last reached. */
  readonly reached: Uint32Array;
  /** It can match at the first position only. */
  readonly isAnchored: boolean;
}

interface Look {
  readonly program: Program;
  /** A look ahead is found from the end of the text to its beginning. */
  readonly isBackward: boolean;
}

interface Compiling {
  readonly isBackward: boolean;
  /** The looks that were met so far, each behind those that it contains. */
  readonly looks: Look[];
}

interface Emitting extends Compiling {
  readonly instructions: Instruction[];
  /** Tests of characters by their source. */
  readonly tests: Map<string, CharacterTest>;
}

/** Turns a pattern into instructions, and adds its looks to the list. */
function compilePattern(tree: PatternNode, compiling: Compiling): Program {
  const instructions: Instruction[] = [];
  emit(tree, { ...compiling, instructions, tests: new Map() });
  instructions.push({ op: "match" });
  const reached = new Uint32Array(instructions.length);
  return { instructions, reached, isAnchored: isAnchored(instructions) };
}

function emit(node: PatternNode, emitting: Emitting): void {
  const { instructions, tests, looks, isBackward } = emitting;
  switch (node.kind) {
    case "sequence":
      for (const part of isBackward ? node.parts.toReversed() : node.parts) emit(part, emitting);
      return;
    case "choice":
      return emitChoice(node.options, emitting);
    case "repeat":
      return emitRepeat(node, emitting);
    case "character": {
      const is = tests.get(node.source) ?? characterTest(node.source);
      tests.set(node.source, is);
      instructions.push({ op: "character", is });
      return;
    }
    case "edge":
      instructions.push({ op: "edge", edge: node.edge });
      return;
    case "look": {
      const isAhead = !node.isBehind;
      const program = compilePattern(node.part, { isBackward: isAhead, looks });
      looks.push({ program, isBackward: isAhead });
      instructions.push({ op: "look", index: looks.length - 1, isNegative: node.isNegative });
    }
  }
}

function emitChoice(options: readonly PatternNode[], emitting: Emitting): void {
  const { instructions } = emitting;
  const ends = options.map((option, index) => {
    const choice = index < options.length - 1 ? fork(instructions) : null;
    emit(option, emitting);
    const end = fork(instructions);
    if (choice !== null) choice.or = instructions.length;
    return end;
  });
  for (const end of ends) jump(end, instructions.length);
}

type Repeat = Extract<PatternNode, { kind: "repeat" }>;

function emitRepeat({ part, min, max }: Repeat, emitting: Emitting): void {
  const { instructions } = emitting;
  for (let count = 0; count < min; count += 1) emit(part, emitting);
  if (max === Number.POSITIVE_INFINITY) {
    const start = instructions.length;
    const loop = fork(instructions);
    emit(part, emitting);
    jump(fork(instructions), start);
    loop.or = instructions.length;
    return;
  }
  const skips = Array.from({ length: max - min }, () => {
    const skip = fork(instructions);
    emit(part, emitting);
    return skip;
  });
  for (const skip of skips) skip.or = instructions.length;
}

/** Adds a fork whose ways both lead to what comes next. */
function fork(instructions: Instruction[]): Fork {
  const next = instructions.length + 1;
  const one: Fork = { op: "fork", to: next, or: next };
  instructions.push(one);
  return one;
}

function jump(from: Fork, to: number): void {
  from.to = to;
  from.or = to;
}

/**
 * Whether nothing but the beginning of the text leads from the first instruction to a character or
 * to the end.
 */
function isAnchored(instructions: readonly Instruction[]): boolean {
  const seen = new Set<number>();
  const stack = [0];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const one = instructions[at]!;
    if (one.op === "character" || one.op === "match") return false;
    if (one.op === "fork") stack.push(one.to, one.or);
    else if (one.op === "look" || one.edge !== "^") stack.push(at + 1);
  }
  return true;
}

const syntax = /^[.[\\]/;
const ascii = 128;
/** JavaScript itself says what is in a class: its engine is asked for one character at a time. */
function characterTest(source: string): CharacterTest {
  const only = source.codePointAt(0);
  if (!syntax.test(source)) return (point) => point === only;
  const expression = new RegExp(`^${source}$`, "u");
  const known = Uint8Array.from({ length: ascii }, (_, point) =>
    Number(expression.test(String.fromCodePoint(point))),
  );
  return (point) =>
    point < ascii ? known[point] === 1 : expression.test(String.fromCodePoint(point));
}

/** Steps that it takes to ask the engine for a character that is not in the table. */
const beyondAscii = 5;

const countOf = (source: string, token: RegExp): number => source.match(token)?.length ?? 0;

interface Scanning {
  /** A list for each look, which has 1 at the positions where it is found. */
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
  const waiting: number[] = [];
  const stack: number[] = [];
  let position = isBackward ? text.length : 0;
  const last = isBackward ? 0 : text.length;
  const canBegin = !once || matches !== undefined;
  for (let isFirst = true; ; isFirst = false) {
    if (isFirst || canBegin) stack.push(0);
    // Both lists are used again for each character: of a long text they would be many.
    let waits = 0;
    let steps = 1;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      steps += 1;
      if (reached[at] === position + 1) continue;
      reached[at] = position + 1;
      const one = instructions[at]!;
      if (one.op === "character") waiting[waits++] = at;
      else if (one.op === "fork") {
        stack.push(one.to);
        if (one.or !== one.to) stack.push(one.or);
      } else if (one.op === "match") {
        if (matches === undefined) return true;
        matches[position] = 1;
      } else if (holds(one, text, { position, found })) stack.push(at + 1);
    }
    if (position === last || (waits === 0 && !canBegin)) {
      meter.spend(steps);
      return false;
    }
    const point = isBackward ? pointBefore(text, position) : text.codePointAt(position)!;
    meter.spend(steps + waits * (point < ascii ? 1 : beyondAscii));
    position += (isBackward ? -1 : 1) * (point > 0xffff ? 2 : 1);
    for (let index = 0; index < waits; index += 1) {
      const at = waiting[index]!;
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
