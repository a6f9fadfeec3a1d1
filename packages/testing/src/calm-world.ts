import { seededRandom } from "./simulator/random.ts";
import { timeline } from "./simulator/timeline.ts";
import type { World } from "./simulator/world.ts";

export interface CalmWorld extends World {
  /** One line for each thing that happened, with the virtual milliseconds at which it did. */
  readonly story: readonly string[];
}

/** A world in which nothing goes wrong by itself: all faults are those that a test injects. */
export function calmWorld(): CalmWorld {
  const story: string[] = [];
  const time = timeline();
  return {
    random: seededRandom(1),
    timeline: time,
    story,
    strikes: () => false,
    onHeal: () => {},
    latency: () => 1,
    tell: (who, what) => {
      story.push(`${time.now.toFixed(0).padStart(9)} ms  ${who.padEnd(14)}  ${what()}`);
    },
  };
}
