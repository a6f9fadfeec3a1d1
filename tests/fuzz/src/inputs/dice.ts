import { seededRandom } from "@holdfast/runtime";

/** Random choices that are the same for the same seed. */
export interface Dice {
  /** A number in [0, 1). */
  readonly random: () => number;
  /** One of the items. */
  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /** Returns true once in `times` on average. */
  oneIn(times: number): boolean;
  uuid(): string;
}

/** The dice of one input: `index` is its number in the run of this seed. */
export const diceOf = (seed: number, index: number): Dice =>
  openDice(seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)));

function openDice(random: () => number): Dice {
  const between = (least: number, most: number): number =>
    least + Math.floor(random() * (most - least + 1));
  const hex = (digits: number): string =>
    between(0, 16 ** digits - 1)
      .toString(16)
      .padStart(digits, "0");
  return {
    random,
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error("there is nothing to pick from");
      return item;
    },
    oneIn: (times) => random() * times < 1,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
}
