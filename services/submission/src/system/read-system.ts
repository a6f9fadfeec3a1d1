import type { OperationsStore, SeenInstance } from "@holdfast/state-store";
import type { FoundQueues } from "./find-queues.ts";

interface Options {
  readonly store: OperationsStore;
  readonly queues: () => Promise<FoundQueues>;
  readonly version: string;
}

/** What the tasks run on: processes, queues, outbox and months. */
export async function readSystem({ store, queues, version }: Options) {
  const [instances, found, outbox, partitions] = await Promise.all([
    store.findInstances(),
    queues(),
    store.measureOutbox(),
    store.findPartitionSizes(),
  ]);
  const alive = instances.filter(({ living }) => living);
  const of = (asked: SeenInstance["service"]) =>
    alive.filter(({ service }) => service === asked).map(seen);
  return {
    version,
    at: new Date().toISOString(),
    schedulers: of("scheduler"),
    supervisors: of("supervisor"),
    submissions: of("submission"),
    ...found,
    outbox: {
      waiting: outbox.waiting,
      oldestMs: outbox.oldestFor === null ? null : Math.max(0, Math.round(outbox.oldestFor)),
    },
    partitions: partitions.map(({ name, firstDay, endDay, rowCount, bytes }) => ({
      name,
      from: `${firstDay}T00:00:00.000Z`,
      until: `${endDay}T00:00:00.000Z`,
      rows: rowCount,
      bytes,
    })),
  };
}

const seen = ({ instance, version, slots, seenAt }: SeenInstance) => ({
  instance,
  version,
  slots,
  seenAt: seenAt.toISOString(),
});
