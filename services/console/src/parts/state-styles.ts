import type { AttemptOutcome, BreakerState, StepState, TaskState } from "../api/types.ts";
import type { IconName } from "./icon.tsx";

/** What a colour says. Each has one pair of colours in each theme. */
export type Tone = "quiet" | "busy" | "good" | "bad" | "undo" | "warn";

/** A state by word, colour and sign: no one depends on colours alone. */
export interface Style {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: IconName;
}

export const taskStyles: Readonly<Record<TaskState, Style>> = {
  pending: { word: "Pending", tone: "quiet", icon: "wait" },
  processing: { word: "Processing", tone: "busy", icon: "run" },
  undoing: { word: "Undoing", tone: "undo", icon: "undo" },
  halted: { word: "Halted", tone: "bad", icon: "cross" },
  processed: { word: "Processed", tone: "good", icon: "done" },
  undone: { word: "Undone", tone: "undo", icon: "undo" },
};

export const stepStyles: Readonly<Record<StepState, Style>> = {
  waiting: { word: "Waiting", tone: "quiet", icon: "wait" },
  pending: { word: "Pending", tone: "quiet", icon: "wait" },
  processing: { word: "Processing", tone: "busy", icon: "run" },
  awaiting: { word: "Awaiting", tone: "quiet", icon: "wait" },
  processed: { word: "Processed", tone: "good", icon: "done" },
  error: { word: "Failed", tone: "bad", icon: "cross" },
  skipped: { word: "Skipped", tone: "quiet", icon: "skip" },
  cancelled: { word: "Cancelled", tone: "quiet", icon: "stop" },
};

export const attemptStyles: Readonly<Record<AttemptOutcome, Style>> = {
  running: { word: "Running", tone: "busy", icon: "run" },
  processed: { word: "Processed", tone: "good", icon: "done" },
  failed: { word: "Failed", tone: "bad", icon: "cross" },
  expired: { word: "Expired", tone: "warn", icon: "late" },
  requeued: { word: "Requeued", tone: "quiet", icon: "skip" },
  cancelled: { word: "Cancelled", tone: "quiet", icon: "stop" },
};

export const breakerStyles: Readonly<Record<BreakerState, Style>> = {
  closed: { word: "Closed", tone: "good", icon: "done" },
  open: { word: "Open", tone: "bad", icon: "cut" },
  "half-open": { word: "Probing", tone: "warn", icon: "run" },
};

/** The look of a state of a newer service, which this page does not know. */
const unknownStyle = (word: string): Style => ({ word, tone: "quiet", icon: "more" });

/** The look of a state, whatever the service says. */
export const styleOf = (styles: Readonly<Record<string, Style>>, state: string): Style =>
  (Object.hasOwn(styles, state) ? styles[state] : undefined) ?? unknownStyle(state);
