import type { Instant } from "@holdfast/domain";
import { lateness } from "./looks.ts";

/** Where a step is due: its lane, and its rank there. */
export interface DueStep {
  readonly lane: string;
  readonly rank: Instant;
}

/** What a look found. `open`: it looked no further in this lane. */
export interface FoundStep extends DueStep {
  readonly open: boolean;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

type LaneSpan = Span & { readonly lane: string };

export type DueSpans = ReturnType<typeof dueSpans>;

/** Ranks are known to the millisecond. */
const precision = 1;
/** Milliseconds. Spans that are closer are searched as one. */
const gap = 100;
const { NEGATIVE_INFINITY: ever, POSITIVE_INFINITY: open } = Number;

/**
 * Where in its lane a claim looks for due steps: everywhere, or, after a look that passed over a crowd, where
 * that look found some, where we have made some due since then, and where new ones come.
 */
export function dueSpans() {
  /** Who never looks never claims, and need not remember anything. */
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
    /** We make these due, or try to: a span without steps costs little. */
    add(steps: readonly DueStep[], now: Instant): void {
      if (!hasLooked) return;
      const behind = steps.filter(({ rank }) => rank < now - lateness).map(around);
      if (behind.length > 0) added = joinedByLane([...added, ...behind]);
    },
    /** `recent`: from when on there may be new ones. What we added stays for one look, which may not have seen it. */
    looked(steps: readonly FoundStep[], recent: Instant): void {
      hasLooked = true;
      since = recent;
      found = joinedByLane([...added, ...steps.map(around)]);
      added = [];
    },
  };
}

const around = (step: DueStep | FoundStep): LaneSpan => ({
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
