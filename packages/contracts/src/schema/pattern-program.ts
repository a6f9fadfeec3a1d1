import type { PatternEdge, PatternNode } from "./parse-pattern.ts";

/** More instructions than any pattern may have. */
const countless = 1_000_000;

/** How many instructions a pattern takes at most; of a part that takes countless ones no more are counted. */
export function sizeOf(node: PatternNode): number {
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

/** Two ways to go on, or one if they are the same. They are set when the instructions that they lead to are there. */
interface Fork {
  readonly op: "fork";
  to: number;
  or: number;
}

export type Instruction =
  | { readonly op: "character"; readonly is: CharacterTest }
  | { readonly op: "edge"; readonly edge: PatternEdge }
  | { readonly op: "look"; readonly index: number; readonly isNegative: boolean }
  | Fork
  | { readonly op: "match" };

/** Whether a character, by its number, is one of those that are meant. */
type CharacterTest = (point: number) => boolean;

export interface Program {
  readonly instructions: readonly Instruction[];
  /** By the instruction: the position plus one at which it was last reached. */
  readonly reached: Uint32Array;
  /** It can match at the first position only. */
  readonly isAnchored: boolean;
}

export interface Look {
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
  /** By the source of the character. */
  readonly tests: Map<string, CharacterTest>;
}

/** Turns a pattern into instructions, and adds its looks to the list. */
export function compilePattern(tree: PatternNode, compiling: Compiling): Program {
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

/** Whether nothing but the beginning of the text leads from the first instruction to a character or to the end. */
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
export const ascii = 128;
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
