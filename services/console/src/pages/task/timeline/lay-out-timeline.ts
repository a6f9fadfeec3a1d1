import type { Attempt, Attempts, LateReply, StepWait } from "../../../api/types.ts";
import { type Span, type TimeScale, timeScale } from "./time-scale.ts";

/** One attempt, or several that stand too close together to be drawn by themselves. */
export interface Bar {
  readonly attempts: readonly Attempt[];
  /** The one that counts for colour and words: the worst of them. */
  readonly shown: Attempt;
  readonly x: number;
  readonly width: number;
  /** How far the line to its deadline reaches; null: nothing is left of its time. */
  readonly lineUntil: number | null;
  /** The place of its deadline; null: too far away to be drawn. */
  readonly deadline: number | null;
}

interface WaitLine {
  readonly wait: StepWait;
  /** Whether the step waits for a time, and not for its next attempt: then it is drawn as a bar. */
  readonly isOwn: boolean;
  readonly x: number;
  readonly width: number;
}

export interface LateMark {
  readonly replies: readonly LateReply[];
  readonly x: number;
}

/** The attempts of one step, or of its undo. */
export interface Lane {
  readonly step: string;
  readonly isUndo: boolean;
  readonly bars: readonly Bar[];
  readonly waits: readonly WaitLine[];
  readonly late: readonly LateMark[];
}

/** A step with its undo under it. */
interface Row {
  readonly step: string;
  readonly lanes: readonly Lane[];
}

export interface TimelineLayout {
  readonly rows: readonly Row[];
  readonly scale: TimeScale;
}

interface Given {
  readonly attempts: Attempts;
  /** Forward steps, in the order of the workflow. */
  readonly steps: readonly string[];
  readonly now: number;
  readonly width: number;
}

/** Pixels that a bar has at least, and after which two bars are drawn as one. */
const least = 5;
const gap = 1;
/** Attempts that are drawn as one take this many pixels at most: what changed meanwhile is seen. */
const bundleWidth = 26;
/** The line to a deadline is at most so long, when the deadline itself is out of sight. */
const lineLength = 36;

const ms = (text: string): number => Date.parse(text);
const undoOf = (step: string): string => `${step}:undo`;

/** Places all attempts, waits and late replies of a task in a picture of that width. */
export function layOutTimeline({ attempts, steps, now, width }: Given): TimelineLayout {
  const scale = timeScale(spansOf(attempts, now), width);
  const lanes = {
    attempts: Map.groupBy(attempts.items, ({ step }) => step),
    waits: Map.groupBy(attempts.waits, ({ step }) => step),
    late: Map.groupBy(attempts.lateReplies, ({ step }) => step),
  };
  const laneOf = (step: string, isUndo: boolean): Lane => ({
    step,
    isUndo,
    bars: barsOf(lanes.attempts.get(step) ?? [], { scale, now }),
    waits: waitLines(lanes.waits.get(step) ?? [], { scale, now }),
    late: lateConfirms(lanes.late.get(step) ?? [], scale),
  });
  const rows = steps.map((step) => {
    const undo = undoOf(step);
    const hasUndo = lanes.attempts.has(undo) || lanes.waits.has(undo) || lanes.late.has(undo);
    return { step, lanes: [laneOf(step, false), ...(hasUndo ? [laneOf(undo, true)] : [])] };
  });
  return { rows, scale };
}

/** Whether a step waits for a time: it asks no Agent, so the wait is all that it does. */
export const isOwnWait = ({ reason }: StepWait): boolean => reason === "open";

/**
 * When something happens: attempts, what came late, and the instants that are waited for. What
 * passes while a step only waits for its time is idle, however long it is.
 */
function spansOf({ items, waits, lateReplies }: Attempts, now: number): readonly Span[] {
  const points = [
    ...lateReplies.map(({ at }) => ms(at)),
    ...waits.flatMap(({ until }) => (until !== null && ms(until) > now ? [ms(until)] : [])),
    ...waits.filter(isOwnWait).flatMap((wait) => instantsOf(wait, now)),
    ...items.flatMap(({ endedAt, completeBy }) =>
      endedAt === null && completeBy !== null ? [ms(completeBy)] : [],
    ),
  ];
  return [
    ...items.map(({ claimedAt, endedAt }) => ({
      from: ms(claimedAt),
      until: Math.max(ms(claimedAt), endedAt === null ? now : ms(endedAt)),
    })),
    ...points.map((at) => ({ from: at, until: at })),
  ];
}

/** The ends of a wait, and now while it lasts: what is past of it and what is to come are apart. */
const instantsOf = ({ from, until }: StepWait, now: number): readonly number[] => {
  const ends = until === null ? [ms(from)] : [ms(from), ms(until)];
  const isOpen = ms(from) <= now && (until === null || now <= ms(until));
  return isOpen ? [...ends, now] : ends;
};

interface Frame {
  readonly scale: TimeScale;
  readonly now: number;
}

interface Placed {
  readonly attempts: Attempt[];
  readonly x: number;
  end: number;
}

function barsOf(attempts: readonly Attempt[], { scale, now }: Frame): readonly Bar[] {
  const placed: Placed[] = [];
  const inOrder = attempts.toSorted((one, other) => ms(one.claimedAt) - ms(other.claimedAt));
  for (const attempt of inOrder) {
    const last = placed.at(-1);
    const own = Math.min(scale.xOf(ms(attempt.claimedAt)), scale.width - least);
    const ends = scale.xOf(attempt.endedAt === null ? now : ms(attempt.endedAt));
    const free = last === undefined ? 0 : last.end + gap;
    const isFull =
      last !== undefined && free - last.x >= bundleWidth && free + least <= scale.width;
    if (last !== undefined && own < free && !isFull) {
      last.attempts.push(attempt);
      last.end = Math.max(last.end, ends, own + least);
    } else {
      const x = Math.max(own, free);
      placed.push({ attempts: [attempt], x, end: Math.max(x + least, ends) });
    }
  }
  return placed.map((one, index) => barOf(one, placed[index + 1]?.x ?? scale.width, scale));
}

function barOf({ attempts, x, end }: Placed, next: number, scale: TimeScale): Bar {
  const shown = worstOf(attempts);
  const bar = { attempts, shown, x, width: end - x };
  const deadlineAt = attempts.length === 1 ? shown.completeBy : null;
  if (deadlineAt === null) return { ...bar, lineUntil: null, deadline: null };
  const at = scale.xOf(ms(deadlineAt));
  const isInSight = at <= next && ms(deadlineAt) <= (scale.segments.at(-1)?.until ?? 0);
  const room = Math.min(next - 3, end + lineLength);
  const lineUntil = isInSight ? at : room;
  return {
    ...bar,
    lineUntil: lineUntil > end + 1 ? lineUntil : null,
    deadline: isInSight ? at : null,
  };
}

const order = ["running", "failed", "expired", "cancelled", "requeued", "processed"];

/** The attempt of a bundle that an operator looks for first. */
const worstOf = (attempts: readonly Attempt[]): Attempt =>
  attempts.reduce((worst, one) =>
    order.indexOf(one.outcome) < order.indexOf(worst.outcome) ? one : worst,
  );

function waitLines(waits: readonly StepWait[], { scale, now }: Frame): readonly WaitLine[] {
  const lines: WaitLine[] = [];
  const inOrder = waits.toSorted((one, other) => ms(one.from) - ms(other.from));
  for (const wait of inOrder) {
    const x = scale.xOf(ms(wait.from));
    const width = scale.xOf(wait.until === null ? now : ms(wait.until)) - x;
    const isOwn = isOwnWait(wait);
    const last = lines.at(-1);
    // Of many that stand close together one says enough.
    if (last !== undefined && x < last.x + last.width) continue;
    if (isOwn) lines.push({ wait, isOwn, ...shownAt(x, width, scale) });
    else if (width >= 2) lines.push({ wait, isOwn, x, width });
  }
  return lines;
}

/** Place of a wait: also one that ended at once is seen. */
const shownAt = (x: number, width: number, scale: TimeScale) => ({
  x: Math.min(x, scale.width - least),
  width: Math.max(width, least),
});

function lateConfirms(replies: readonly LateReply[], scale: TimeScale): readonly LateMark[] {
  const marks: { readonly replies: LateReply[]; readonly x: number }[] = [];
  const inOrder = replies.toSorted((one, other) => ms(one.at) - ms(other.at));
  for (const reply of inOrder) {
    const x = scale.xOf(ms(reply.at));
    const last = marks.at(-1);
    if (last !== undefined && x < last.x + 10) last.replies.push(reply);
    else marks.push({ replies: [reply], x });
  }
  return marks;
}
