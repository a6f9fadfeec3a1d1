import { sum } from "@holdfast/load";
import type { Sample } from "./sample.ts";

export type Unit = "bytes" | "rows" | "ms" | "orders" | "messages";

/** A figure of which there should not be more and more. */
export interface Figure {
  readonly name: string;
  readonly unit: Unit;
  readonly of: (sample: Sample) => number;
}

/** Tables that grow with each order until its month is dropped, which no run lives to see. */
export const keptTables: readonly string[] = [
  "state.task_payloads",
  "state.step_payloads",
  "state.events",
];

/** What never gets larger than this says nothing. */
const least: Partial<Record<Unit, number>> = { bytes: 1_048_576, rows: 1_000 };

/** All that should level off, as far as these samples know of it. */
export function figuresOf(samples: readonly Sample[]): readonly Figure[] {
  const last = samples.at(-1);
  if (last === undefined) return [];
  const { store, memory, cpu } = last;
  const all: readonly Figure[] = [
    { name: "order, p50", unit: "ms", of: (sample) => sample.store.p50 },
    { name: "order, p99", unit: "ms", of: (sample) => sample.store.p99 },
    { name: "unfinished orders", unit: "orders", of: (sample) => sample.store.unfinished },
    { name: "messages in queues", unit: "messages", of: (sample) => sample.broker.queued },
    ...Object.keys(cpu.perOrder).map(cpuOf),
    ...Object.keys(memory).map(memoryOf),
    { name: "RabbitMQ, allocated", unit: "bytes", of: (sample) => sample.broker.allocated },
    { name: "WAL files", unit: "bytes", of: (sample) => sample.store.walKept },
    ...store.tables.filter(({ name }) => isNotKept(name)).map(({ name }) => heapOf(name)),
    ...store.indexes.filter(({ table }) => isNotKept(table)).map(({ name }) => indexOf(name)),
    ...store.tables.filter(({ name }) => isNotKept(name)).map(({ name }) => deadOf(name)),
  ];
  return all.filter(({ unit, of }) => samples.some((sample) => of(sample) >= (least[unit] ?? 0)));
}

const isNotKept = (table: string): boolean => !keptTables.includes(table);

const cpuOf = (part: string): Figure => ({
  name: `CPU of ${part} for an order`,
  unit: "ms",
  of: ({ cpu }) => cpu.perOrder[part] ?? 0,
});

const memoryOf = (part: string): Figure => ({
  name: `memory of ${part}`,
  unit: "bytes",
  of: ({ memory }) => memory[part] ?? 0,
});

const heapOf = (table: string): Figure => ({
  name: `table ${table}`,
  unit: "bytes",
  of: ({ store }) => store.tables.find(({ name }) => name === table)?.heap ?? 0,
});

const indexOf = (index: string): Figure => ({
  name: `index ${index}`,
  unit: "bytes",
  of: ({ store }) => store.indexes.find(({ name }) => name === index)?.bytes ?? 0,
});

const deadOf = (table: string): Figure => ({
  name: `dead rows of ${table}`,
  unit: "rows",
  of: ({ store }) => store.tables.find(({ name }) => name === table)?.dead ?? 0,
});

/** Bytes of a table and its indexes. */
export const bytesOf = (table: string, { store }: Sample): number =>
  sum(store.tables.filter(({ name }) => name === table).map(({ heap }) => heap)) +
  sum(store.indexes.filter((index) => index.table === table).map(({ bytes }) => bytes));
