import { seededRandom } from "./simulator/random.ts";
import { memoryStore } from "./simulator/store/memory-store.ts";
import { timeline } from "./simulator/timeline.ts";
import { epoch, type World } from "./simulator/world.ts";

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

/** An empty store in a world. Its ids count up, so that runs are alike. */
export function storeIn({ timeline: time, random }: World) {
  let ids = 0;
  return memoryStore({
    now: () => epoch + time.now,
    random: random.next,
    newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, "0")}`,
  });
}
