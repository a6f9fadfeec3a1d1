import type { DueStep, Instant } from "@holdfast/domain";
import { lateness } from "./scan-window.ts";

/** A due step that a scan found. `open`: the scan stopped here and read no more of this lane. */
export interface FoundStep extends DueStep {
  readonly open: boolean;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

type LaneSpan = Span & { readonly lane: string };

export type DueIndex = ReturnType<typeof dueIndex>;

/** Ranks are known to the millisecond. */
const precision = 1;
/** Milliseconds. Spans that are closer are searched as one. */
const gap = 100;
const { NEGATIVE_INFINITY: ever, POSITIVE_INFINITY: open } = Number;

/**
 * Which spans of its lane a claim scans for due steps. By default all. After a scan that read many dead index
 * entries: the spans where that scan found steps, where this process has made steps due since, and where new
 * ones arrive.
 */
export function dueIndex() {
  /** A process that never scans never claims, and need not remember anything. */
  let hasLooked = false;
  let since = ever;
  let found: readonly LaneSpan[] = [];
  let added: readonly LaneSpan[] = [];

  const spansOf = (lane: string): readonly LaneSpan[] => {
    const known = [...found, ...added].filter((span) => span.lane === lane);
    return joined([...known, { lane, from: since, to: open }]);
  };

  return {
    of: (lanes: readonly string[]): readonly LaneSpan[] => lanes.flatMap(spansOf),
    /** Adds steps that this process makes due, or tries to: a span without steps costs little. */
    add(steps: readonly DueStep[], now: Instant): void {
      if (!hasLooked) return;
      const behind = steps.filter(({ rank }) => rank < now - lateness).map(spanAt);
      if (behind.length > 0) added = joinedByLane([...added, ...behind]);
    },
    /** Records a scan. `recent`: from when on there may be new steps. What was added stays until the next scan, as this one may have missed it. */
    looked(steps: readonly FoundStep[], recent: Instant): void {
      hasLooked = true;
      since = recent;
      found = joinedByLane([...added, ...steps.map(spanAt)]);
      added = [];
    },
  };
}

const spanAt = (step: DueStep | FoundStep): LaneSpan => ({
  lane: step.lane,
  from: step.rank - precision,
  to: "open" in step && step.open ? open : step.rank + precision,
});

const joinedByLane = (spans: readonly LaneSpan[]): readonly LaneSpan[] =>
  [...Map.groupBy(spans, ({ lane }) => lane).values()].flatMap(joined);

function joined(spans: readonly LaneSpan[]): readonly LaneSpan[] {
  const result: LaneSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || span.from > last.to + gap) result.push(span);
    else result[result.length - 1] = { ...last, to: Math.max(last.to, span.to) };
  }
  return result;
}
