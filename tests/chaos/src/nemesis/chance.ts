/** One of at least one. */
export function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}

/** A whole number from `least` up to `most`. */
export const between = (least: number, most: number, random: () => number): number =>
  Math.round(least + random() * (most - least));

/** Returns the same items in an order of chance. */
export function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
