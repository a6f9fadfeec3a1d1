import { type Conditions, type Direction, healthy } from "./conditions.ts";

export interface CurrentConditions {
  readonly isDown: boolean;
  /** Milliseconds that a piece which arrives now is to take. */
  readonly latency: () => number;
  isHeld(direction: Direction): boolean;
  readonly change: (changes: Partial<Conditions>) => void;
  /** Resolves at the next change. */
  changed(): Promise<void>;
}

/** The conditions of a link, which change while connections wait for that. */
export function currentConditions(random: () => number): CurrentConditions {
  let conditions = healthy;
  let next = Promise.withResolvers<void>();
  return {
    get isDown() {
      return conditions.isDown;
    },
    latency: () => conditions.latencyMs + random() * conditions.jitterMs,
    isHeld: (direction) => conditions.held.includes(direction),
    change(changes) {
      conditions = { ...conditions, ...changes };
      next.resolve();
      next = Promise.withResolvers();
    },
    changed: () => next.promise,
  };
}
