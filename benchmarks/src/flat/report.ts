import { markdownTable } from "@holdfast/load";
import type { Setting } from "../setting.ts";
import { type Figures, figureNames } from "./figures.ts";

export interface FlatCase {
  readonly title: string;
  readonly figures: Figures;
  /**
   * How many times as long as in the store that has neither past nor backlog; null: it is that one.
   */
  readonly ratios: Figures | null;
}

/**
 * A tenth of the time for which a snapshot is held, with the steps that were claimed and completed
 * in it.
 */
export interface HeldPart extends Figures {
  readonly claimMax: number;
  readonly steps: number;
}

/** What happened while another transaction held a snapshot. */
export interface Held {
  readonly seconds: number;
  /** The parts before the snapshot was held: what the machine and the server do by themselves. */
  readonly before: readonly HeldPart[];
  readonly parts: readonly HeldPart[];
}

export interface FlatResult extends Setting {
  /** The load average of the machine before it began: what others do spoils the tails. */
  readonly load: number;
  readonly rounds: number;
  readonly batches: number;
  readonly steps: number;
  readonly cases: readonly FlatCase[];
  readonly held: Held | null;
}

const headings = ["claim p50", "p99", "reply p50", "p99"];

/** The page that tells whether the cost of an order grows with what is in the store. */
export function report({ cases, held, ...setting }: FlatResult): string {
  return `# The cost of a store that fills up

Written by \`pnpm bench --flat\`; do not edit. ${setting.date}, ${setting.machine}, Postgres ${setting.postgres}, every commit synced to the disk. Load average before: ${setting.load}.

One connection claims up to ${setting.steps} steps at a time, then saves their replies in a transaction, as a Scheduler does; broker and Agents have no part in it. ${setting.rounds} rounds of ${setting.batches} batches, the stores in turn in each. Milliseconds; medians over the rounds.

${markdownTable(["", ...headings], cases.map(figuresOf))}

How many times as long as in the empty store: the median of the rounds' own ratios.

${markdownTable(["", ...headings], cases.flatMap(ratiosOf))}
${held === null ? "" : `\n${reportHeld(held)}\n`}`;
}

const figuresOf = ({ title, figures }: FlatCase): readonly string[] => [
  title,
  ...figureNames.map((name) => figures[name].toFixed(2)),
];

const ratiosOf = ({ title, ratios }: FlatCase): readonly (readonly string[])[] =>
  ratios === null ? [] : [[title, ...figureNames.map((name) => ratios[name].toFixed(2))]];

const rowOf = (title: string, part: HeldPart): readonly string[] => [
  title,
  ...figureNames.map((name) => part[name].toFixed(2)),
  part.claimMax.toFixed(1),
  String(part.steps),
];

function reportHeld({ seconds, before, parts }: Held): string {
  const rows = [
    ...before.map((part) => rowOf("before", part)),
    ...parts.map((part, index) =>
      rowOf(`${Math.round((seconds * (index + 1)) / parts.length)} s`, part),
    ),
  ];
  return `## While a snapshot is open

A transaction with an id and a snapshot stays open for ${seconds} s, so that vacuum may clean up nothing, while steps are claimed and completed, one batch right after the other. Before it, the same for ${before.length} times ${seconds / parts.length} s without a snapshot.

${markdownTable(["until", ...headings, "slowest claim", "steps"], rows)}`;
}
