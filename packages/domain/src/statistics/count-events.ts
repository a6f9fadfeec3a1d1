import { failures } from "../source.ts";
import type { Instant } from "../step.ts";
import type { Milliseconds } from "../workflow-definition.ts";
import { addDuration, addHistograms, type DurationHistogram } from "./duration-histogram.ts";

/** An entry of the history, with what counting it needs to know. */
export interface CountedEvent {
  /** The workflow; null: the task is not there any more. */
  readonly workflow: string | null;
  /** The step; null: it is about the task as a whole. */
  readonly step: string | null;
  readonly action: string;
  readonly from: string | null;
  readonly to: string;
  readonly at: Instant;
  /** The Agent of an attempt that ended. */
  readonly agent: string | null;
  /** Whether the step is an undo. */
  readonly isUndo: boolean;
  /** The time that a task or an attempt took that ended; null: not known. */
  readonly took: Milliseconds | null;
}

/** What is counted. Of an Agent `attempts` are those that ended by a reply or by silence. */
export const counters = [
  "submitted",
  "processed",
  "undone",
  "halted",
  "attempts",
  "failedAttempts",
  "undoneSteps",
] as const;
export type Counts = Readonly<Record<(typeof counters)[number], number>>;

export const resolutions = ["minute", "hour", "day"] as const;
export type Resolution = (typeof resolutions)[number];
export const widthOf: Readonly<Record<Resolution, Milliseconds>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/**
 * Counts of one subject: everything (""), `workflow:<name>` or `agent:<name>`, in a span of time
 * that begins at `at`.
 */
export interface CountedBucket extends Counts {
  readonly resolution: Resolution;
  readonly subject: string;
  readonly at: Instant;
  readonly durations: DurationHistogram;
}

type Increment = Partial<Counts> & { readonly took?: Milliseconds | null };

/**
 * Counts events by minute, hour and day of each subject. The order of the events does not matter.
 */
export function countEvents(events: readonly CountedEvent[]): readonly CountedBucket[] {
  const minutes = new Map<string, CountedBucket>();
  for (const event of events) {
    const at = startOf(event.at, "minute");
    const add = (subject: string, increment: Increment | null): void => {
      if (increment === null) return;
      const key = `${at} ${subject}`;
      const bucket = minutes.get(key) ?? emptyBucket({ resolution: "minute", subject, at });
      minutes.set(key, increased(bucket, increment));
    };
    const ofTask = event.step === null ? ofWholeTask(event) : ofStep(event);
    add("", ofTask);
    if (event.workflow !== null) add(`workflow:${event.workflow}`, ofTask);
    if (event.agent !== null) add(`agent:${event.agent}`, ofAgent(event));
  }
  const counted = [...minutes.values()];
  return [...counted, ...inCoarser(counted, "hour"), ...inCoarser(counted, "day")];
}

/** Sums the same counts up in wider spans of time. */
export function inCoarser(
  buckets: readonly CountedBucket[],
  resolution: Resolution,
): readonly CountedBucket[] {
  const wider = new Map<string, CountedBucket>();
  for (const { subject, at: instant, durations, ...counts } of buckets) {
    const at = startOf(instant, resolution);
    const key = `${at} ${subject}`;
    const bucket = increased(wider.get(key) ?? emptyBucket({ resolution, subject, at }), counts);
    wider.set(key, { ...bucket, durations: addHistograms(bucket.durations, durations) });
  }
  return [...wider.values()];
}

export const startOf = (at: Instant, resolution: Resolution): Instant =>
  Math.floor(at / widthOf[resolution]) * widthOf[resolution];

function ofWholeTask({ action, from, to, took }: CountedEvent): Increment | null {
  if (action === "submit") return { submitted: 1 };
  if (from === to) return null;
  if (to === "processed") return { processed: 1, took };
  if (to === "undone") return { undone: 1, took };
  return to === "halted" ? { halted: 1 } : null;
}

function ofStep({ action, isUndo }: CountedEvent): Increment | null {
  if (action === "claim") return { attempts: 1 };
  if (failures.has(action)) return { failedAttempts: 1 };
  return isUndo && (action === "complete" || action === "resolve") ? { undoneSteps: 1 } : null;
}

function ofAgent({ action, took, isUndo }: CountedEvent): Increment | null {
  if (failures.has(action)) return { attempts: 1, failedAttempts: 1, took };
  if (action !== "complete") return null;
  return { attempts: 1, took, ...(isUndo ? { undoneSteps: 1 } : {}) };
}

const none: Counts = {
  submitted: 0,
  processed: 0,
  undone: 0,
  halted: 0,
  attempts: 0,
  failedAttempts: 0,
  undoneSteps: 0,
};

const emptyBucket = (of: Pick<CountedBucket, "resolution" | "subject" | "at">): CountedBucket => ({
  ...of,
  ...none,
  durations: [],
});

function increased(bucket: CountedBucket, { took, ...counts }: Increment): CountedBucket {
  const sums = Object.fromEntries(
    counters.map((counter) => [counter, bucket[counter] + (counts[counter] ?? 0)]),
  ) as unknown as Counts;
  const durations = took == null ? bucket.durations : addDuration(bucket.durations, took);
  return { ...bucket, ...sums, durations };
}
