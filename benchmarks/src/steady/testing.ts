import type { Sample } from "./sample.ts";

const table = (name: string) => ({ name, heap: 8_388_608, live: 0, dead: 2_000 });

/** A look at a system that stands still, but for the orders that it does: ten a minute. */
function sampleAt(minute: number): Sample {
  return {
    minute,
    done: minute * 10,
    refused: 0,
    store: {
      tables: [table("state.tasks"), { ...table("state.events"), heap: minute * 7_000 }],
      indexes: [
        { table: "state.tasks", name: "state.tasks_pkey", bytes: 4_194_304 },
        { table: "state.tasks", name: "state.tasks_unfinished", bytes: 2_097_152 },
        { table: "state.events", name: "state.events_pkey", bytes: minute * 3_000 },
      ],
      wal: minute * 50_000,
      walKept: 16_777_216,
      unfinished: 3,
      p50: 20,
      p99: 60,
    },
    broker: { queued: 0, allocated: 104_857_600 },
    memory: { Scheduler: 104_857_600 },
    cpu: { perOrder: { Scheduler: 0.3 }, others: 0 },
  };
}

/** One look a minute, each changed as said. */
export const samplesOf = (
  minutes: number,
  change: (sample: Sample) => Sample = (sample) => sample,
): readonly Sample[] => Array.from({ length: minutes }, (_, index) => change(sampleAt(index + 1)));
