import type { HostileBody } from "./damaged-body.ts";
import type { Dice } from "./dice.ts";
import { placesOf, textOf, treeOf } from "./json-tree.ts";
import { largeValue } from "./large-values.ts";

/** A valid message, of which one value is as large as it may be, or one more is there. */
export function largeBody(dice: Dice, valid: () => unknown): HostileBody {
  const root = { tree: treeOf(valid()) };
  const { text, shape } = largeValue(dice);
  const place = dice.pick(placesOf(root));
  const { value } = place;
  if ("fields" in value && dice.oneIn(2)) value.fields.push(['"more"', { text }]);
  else place.replace({ text });
  return {
    body: Buffer.from(textOf(root.tree)),
    changes: [shape],
    contentType: "application/json",
  };
}

/** Headers that fill a frame: of AMQP 128 KiB hold all of them, and our own client writes 64. */
export const largeHeaders = (dice: Dice): Record<string, unknown> =>
  dice.pick<() => Record<string, unknown>>([
    () => ({ x: "x".repeat(60_000) }),
    () => ({ "task-labels": "a=b,".repeat(10_000) }),
    () => ({ "task-key": "k".repeat(255), workflow: "w".repeat(60_000) }),
    () => ({ x: Array.from({ length: 8_000 }, () => true) }),
    () => Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`x${index}`, true])),
    () => ({
      "x-death": Array.from({ length: 800 }, () => ({ queue: "agent.payments", count: 1 })),
    }),
  ])();
