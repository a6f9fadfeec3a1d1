import { markdownTable, sum } from "@holdfast/load";
import type { Setting } from "../setting.ts";
import { bytesOf, keptTables, type Unit } from "./figures.ts";
import { type Judgement, type Kept, tolerance, type Verdict } from "./judge.ts";
import type { Sample } from "./sample.ts";

export interface SteadyResult extends Setting, Judgement {
  /** The load average of the machine before it began: what others do spoils the tails. */
  readonly loadBefore: number;
  /** Orders a second: of a backlog, and those that came in afterwards. */
  readonly highest: number;
  readonly rate: number;
  readonly minutes: number;
  /** How many orders of long ago were in the store, and how many tasks of them were deleted. */
  readonly past: number;
  readonly deleted: number;
  readonly refused: number;
  readonly samples: readonly Sample[];
}

/** The page that tells whether anything grows while work is steady. */
export function report({ samples, verdicts, kept, wal, ...run }: SteadyResult): string {
  const growing = verdicts.filter(({ grows }) => grows);
  return `# A steady load

Written by \`pnpm bench --steady\`; do not edit. ${run.date}, ${run.machine}, Postgres ${run.postgres}, every commit synced to the disk. Load average before: ${run.loadBefore}.

Submission, one Scheduler, one process of Agents and a Supervisor, beside both servers and the load. A burst of orders of three steps over HTTP was done at ${run.highest} a second, from the first submission to the last reply. Then ${run.rate} a second came in for ${run.minutes} minutes, whatever became of them; ${run.refused} were refused. \`RETENTION\` was a day, the shortest that there is, and the store had ${run.past} orders of twelve months long ago, without histories and payloads, and the primary keys of its tasks and steps half full, as work leaves them; of them one month after the other came of age meanwhile, as did as many idempotency keys: the Supervisor deleted ${run.deleted} of these orders.

${conclude(growing)}

## Over time

Some of the ${samples.length} looks. Latencies are those of the orders submitted since the look before, from submission to their end, or so far. Hot indexes: all those of steps and tasks but their primary keys. Others: which part of the cores processes had that do not belong to this.

${markdownTable(workHeadings, rowsOf(samples, workOf))}

Memory in MiB: resident, but for Postgres, whose processes share most of theirs.

${markdownTable(["minute", ...memoryNamesOf(samples)], rowsOf(samples, memoryOf))}

## What should level off

Means of the middle and of the last third. It counts as growing when the mean rose by more than ${tolerance * 100} %, and above everything in the middle third. Left out is what stayed below a mebibyte or a thousand dead rows.

${markdownTable(["", "middle third", "last third", "an hour", "ratio", "grows"], verdicts.map(toRow))}

## What grows with every order

Bytes for an order, indexes included, until its month is dropped. WAL is not kept.

${markdownTable(["", "middle third", "last third", "ratio"], [...kept, totalOf(kept), { name: "WAL", ...wal }].map(toKeptRow))}
`;
}

function conclude(growing: readonly Verdict[]): string {
  if (growing.length === 0) return "Nothing that should level off grew.";
  return `These grew: ${growing.map(({ name }) => name).join(", ")}.`;
}

type Row = readonly string[];

const shownRows = 10;

/** Evenly chosen samples, each with the one that was chosen before it. */
function rowsOf(
  samples: readonly Sample[],
  toCells: (sample: Sample, before: Sample | undefined) => Row,
): readonly Row[] {
  const count = Math.min(shownRows, samples.length);
  const chosen = Array.from(
    { length: count },
    (_, index) => samples[Math.round(((index + 1) * samples.length) / count) - 1]!,
  );
  return chosen.map((sample, index) => [
    sample.minute.toFixed(1),
    ...toCells(sample, chosen[index - 1]),
  ]);
}

const workHeadings = [
  "minute",
  "orders/s",
  "p50 ms",
  "p99 ms",
  "unfinished",
  "in queues",
  "tasks MiB",
  "steps MiB",
  "dead rows of tasks",
  "of steps",
  "hot indexes MiB",
  "kept MiB",
  "WAL MiB/s",
  "others",
];

function workOf(sample: Sample, before: Sample | undefined): Row {
  const { store, broker, cpu } = sample;
  const seconds = (sample.minute - (before?.minute ?? 0)) * 60;
  const dead = (table: string) => store.tables.find(({ name }) => name === table)?.dead ?? 0;
  return [
    ((sample.done - (before?.done ?? 0)) / seconds).toFixed(),
    store.p50.toFixed(),
    store.p99.toFixed(),
    store.unfinished.toFixed(),
    broker.queued.toFixed(),
    mebibytes(bytesOf("state.tasks", sample)),
    mebibytes(bytesOf("state.steps", sample)),
    dead("state.tasks").toFixed(),
    dead("state.steps").toFixed(),
    mebibytes(sum(store.indexes.filter(isHot).map(({ bytes }) => bytes))),
    mebibytes(sum(keptTables.map((table) => bytesOf(table, sample)))),
    before === undefined ? "" : mebibytes((store.wal - before.store.wal) / seconds),
    cpu.others.toFixed(2),
  ];
}

const isHot = ({ table, name }: { readonly table: string; readonly name: string }): boolean =>
  ["state.tasks", "state.steps"].includes(table) && !name.endsWith("_pkey");

const memoryNamesOf = (samples: readonly Sample[]): readonly string[] =>
  Object.keys(samples[0]?.memory ?? {});

const memoryOf = ({ memory }: Sample): Row => Object.values(memory).map(mebibytes);

const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1);

function show(value: number, unit: Unit): string {
  if (unit === "bytes") return `${mebibytes(value)} MiB`;
  return `${value.toFixed(unit === "ms" && Math.abs(value) < 10 ? 2 : 0)} ${unit}`;
}

const toRow = ({ name, unit, middle, last, perHour, ratio, grows }: Verdict): Row => [
  name,
  show(middle, unit),
  show(last, unit),
  show(perHour, unit),
  ratio?.toFixed(2) ?? "",
  grows ? "yes" : "no",
];

const totalOf = (kept: readonly Kept[]): Kept => ({
  name: "all of these",
  middle: sum(kept.map(({ middle }) => middle)),
  last: sum(kept.map(({ last }) => last)),
});

const toKeptRow = ({ name, middle, last }: Kept): Row => [
  name,
  middle.toFixed(),
  last.toFixed(),
  (last / middle).toFixed(2),
];
