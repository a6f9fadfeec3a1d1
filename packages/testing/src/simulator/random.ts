/** Chance, all of it from one number: the same seed, the same answers in the same order. */
export interface Random {
  /** Returns a number in [0, 1). */
  readonly next: () => number;
  /** A whole number from 0 to one less than `count`. */
  below(count: number): number;
  /** Returns true as often as the probability says. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** mulberry32: small, fast, and good enough for choosing where to look. */
export function seededRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    // Nothing is drawn for what cannot happen: a mutant without a fault then sees the same
    // schedule.
    chance: (probability) => probability > 0 && next() < probability,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
  };
}
