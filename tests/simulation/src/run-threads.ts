import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { addTallies, noTally, type Tally } from "./tally.ts";

interface Range {
  readonly first: number;
  readonly end: number;
}

interface Runs extends Range {
  readonly threads: number;
}

/** Runs many schedules at the same time; which thread runs which makes no difference. */
export async function runThreads({ first, end, threads }: Runs): Promise<Tally> {
  const share = Math.ceil((end - first) / threads);
  const ranges = Array.from({ length: threads }, (_, index) => ({
    first: first + index * share,
    end: Math.min(end, first + (index + 1) * share),
  }));
  const tallies = await Promise.all(ranges.filter((one) => one.first < one.end).map(runThread));
  return tallies.reduce(addTallies, noTally);
}

async function runThread(range: Range): Promise<Tally> {
  const thread = new Worker(new URL(import.meta.resolve("./worker.ts")), { workerData: range });
  const [tally] = (await once(thread, "message")) as [Tally];
  await thread.terminate();
  return tally;
}
