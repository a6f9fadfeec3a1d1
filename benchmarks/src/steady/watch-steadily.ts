import { setTimeout as sleep } from "node:timers/promises";
import { type Sample, sampler, type Watched } from "./sample.ts";

interface WatchOptions {
  readonly minutes: number;
  readonly say: (line: string) => void;
}

/** Seconds. A short run is looked at more often, for there must be something to compare. */
const restOf = (minutes: number): number => Math.min(30, minutes * 3);

/** Looks at everything again and again, for so many minutes. */
export async function watchSteadily(
  watched: Watched,
  { minutes, say }: WatchOptions,
): Promise<readonly Sample[]> {
  const look = sampler(watched);
  const samples: Sample[] = [];
  const from = performance.now();
  const rest = restOf(minutes) * 1_000;
  while (samples.length * rest < minutes * 60_000) {
    await sleep(from + (samples.length + 1) * rest - performance.now());
    const sample = await look();
    samples.push(sample);
    const { p50, p99, unfinished } = sample.store;
    say(
      `minute ${sample.minute.toFixed(1)}: ${sample.done} done, ${unfinished} unfinished, p50 ${p50.toFixed()} ms, p99 ${p99.toFixed()} ms`,
    );
  }
  return samples;
}
