import type { AttemptOutcome, BreakerState, StepState, TaskState } from "../api/types.ts";
import type { IconName } from "./icon.tsx";

/** What a colour says. Each has one pair of colours in each theme. */
export type Tone = "quiet" | "busy" | "good" | "bad" | "undo" | "warn";

/** A state by word, colour and sign: no one depends on colours alone. */
export interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: IconName;
}

export const taskLooks: Readonly<Record<TaskState, Look>> = {
  pending: { word: "Pending", tone: "quiet", icon: "wait" },
  processing: { word: "Processing", tone: "busy", icon: "run" },
  undoing: { word: "Undoing", tone: "undo", icon: "undo" },
  halted: { word: "Halted", tone: "bad", icon: "cross" },
  processed: { word: "Processed", tone: "good", icon: "done" },
  undone: { word: "Undone", tone: "undo", icon: "undo" },
};

export const stepLooks: Readonly<Record<StepState, Look>> = {
  waiting: { word: "Waiting", tone: "quiet", icon: "wait" },
  pending: { word: "Pending", tone: "quiet", icon: "wait" },
  processing: { word: "Processing", tone: "busy", icon: "run" },
  processed: { word: "Processed", tone: "good", icon: "done" },
  error: { word: "Failed", tone: "bad", icon: "cross" },
  skipped: { word: "Skipped", tone: "quiet", icon: "skip" },
  cancelled: { word: "Cancelled", tone: "quiet", icon: "stop" },
};

export const attemptLooks: Readonly<Record<AttemptOutcome, Look>> = {
  running: { word: "Running", tone: "busy", icon: "run" },
  processed: { word: "Processed", tone: "good", icon: "done" },
  failed: { word: "Failed", tone: "bad", icon: "cross" },
  expired: { word: "Expired", tone: "warn", icon: "late" },
  requeued: { word: "Requeued", tone: "quiet", icon: "skip" },
  cancelled: { word: "Cancelled", tone: "quiet", icon: "stop" },
};

export const breakerLooks: Readonly<Record<BreakerState, Look>> = {
  closed: { word: "Closed", tone: "good", icon: "done" },
  open: { word: "Open", tone: "bad", icon: "cut" },
  "half-open": { word: "Probing", tone: "warn", icon: "run" },
};

/** The look of a state of a newer service, which this page does not know. */
const unknownLook = (word: string): Look => ({ word, tone: "quiet", icon: "more" });

/** The look of a state, whatever the service says. */
export const lookOf = (looks: Readonly<Record<string, Look>>, state: string): Look =>
  (Object.hasOwn(looks, state) ? looks[state] : undefined) ?? unknownLook(state);
