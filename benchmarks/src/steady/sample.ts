import type { LocalStack } from "@holdfast/local-stack";
import { type BrokerFacts, viewBroker } from "./look-at-broker.ts";
import { type CpuFacts, cpuWatch } from "./look-at-cpu.ts";
import { lookAtMemory, type MemoryByPart } from "./look-at-memory.ts";
import { lookAtStore, type StoreFacts } from "./look-at-store.ts";
import type { SteadyLoad } from "./submit-steadily.ts";

/** One look at everything. */
export interface Sample {
  /** Minutes since the orders began to come in. */
  readonly minute: number;
  /** How many of them were done until then, and how many were refused. */
  readonly done: number;
  readonly refused: number;
  readonly store: StoreFacts;
  readonly broker: BrokerFacts;
  readonly memory: MemoryByPart;
  readonly cpu: CpuFacts;
}

/** What is looked at. */
export interface Watched {
  readonly url: string;
  readonly broker: LocalStack["broker"];
  readonly dataFolder: string;
  readonly pids: Readonly<Record<string, number>>;
  readonly load: Pick<SteadyLoad, "taken" | "refused">;
}

/** Looks again each time that it is called, at what has happened since the time before. */
export function sampler({ url, broker, dataFolder, pids, load }: Watched): () => Promise<Sample> {
  const begun = Date.now() / 1_000;
  const cpu = cpuWatch({ ...pids, load: process.pid }, dataFolder);
  let before = { at: begun, done: 0 };
  return async () => {
    const at = Date.now() / 1_000;
    const { taken, refused } = load;
    const store = await lookAtStore(url, { from: before.at, to: at });
    const done = Math.max(0, taken - store.unfinished);
    const sample = {
      minute: (at - begun) / 60,
      done,
      refused,
      store,
      broker: await viewBroker(broker),
      memory: lookAtMemory(pids, dataFolder),
      cpu: cpu(done - before.done),
    };
    before = { at, done };
    return sample;
  };
}
