import type { HostileBody } from "./damaged-body.ts";
import type { Dice } from "./dice.ts";
import { type Fields, placesOf, textOf, treeOf } from "./json-tree.ts";

/** Fields that no schema names. As they are written. */
const names = [
  '"x"',
  '"unknown"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"\\u0000"',
] as const;

/** Levels: as many as are read, as fit into a hint, and as exhaust a stack. */
const depths = [30, 41, 500, 3_000, 8_000] as const;
const deepest = [20_000, 100_000, 400_000] as const;

const brackets = [
  ["[", "]"],
  ['{"a":', "}"],
  ['[{"__proto__":', "}]"],
  ["[[],", "]"],
] as const;

/** JSON of so many levels, as it is written. */
function deepText(dice: Dice): string {
  const levels = dice.pick(dice.oneIn(40) ? deepest : depths);
  const [open, close] = dice.pick(brackets);
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

/** A valid message with fields that nothing knows, in any of its objects, deeper than a stack. */
export function deepBody(dice: Dice, valid: () => unknown): HostileBody {
  const count = dice.oneIn(8) ? dice.between(2, 12) : 1;
  const lines = Array.from({ length: count }, () => withDepth(dice, valid()));
  return {
    body: Buffer.from(lines.join("\n")),
    changes: count === 1 ? ["deep field"] : ["deep field", "bundle"],
    contentType: count === 1 ? "application/json" : "application/x-ndjson",
  };
}

function withDepth(dice: Dice, valid: unknown): string {
  const root = { tree: treeOf(valid) };
  const objects = placesOf(root).flatMap(({ value }) => ("fields" in value ? [value] : []));
  if (objects.length === 0) return deepText(dice);
  for (let left = dice.pick([1, 1, 2]); left > 0; left -= 1) {
    const { fields }: Fields = dice.pick(objects);
    const at = dice.between(0, fields.length);
    fields.splice(at, 0, [dice.pick(names), { text: deepText(dice) }]);
  }
  return textOf(root.tree);
}

/**
 * Tables in tables, as deep as our own client can write them and the broker takes them in a frame.
 */
export function deepHeaders(dice: Dice): Record<string, unknown> {
  let nested: unknown = true;
  for (let left = dice.pick([9, 100, 1_000, 3_000]); left > 0; left -= 1) {
    nested = dice.oneIn(2) ? { a: nested } : [nested];
  }
  return { [dice.pick(["x", "task-labels", "workflow", "x-death", "not-before"])]: nested };
}
