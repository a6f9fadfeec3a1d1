import { type Band, bands, type DueStep, type Instant, virtualTime } from "@holdfast/domain";
import { lateness } from "./scan-window.ts";

/**
 * A due step that a scan found. `open`: the scan stopped here and read no more of this band of the
 * lane.
 */
export interface FoundStep extends DueStep {
  readonly open: boolean;
}

/**
 * A part of the due order of a lane: from one rank of one band to one of the same or of a later
 * band.
 */
export interface DueSpan {
  readonly lane: string;
  readonly lowBand: Band;
  readonly from: Instant;
  readonly highBand: Band;
  readonly to: Instant;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

type BandSpan = Span & { readonly lane: string; readonly band: Band };

export type DueIndex = ReturnType<typeof dueIndex>;

/** Ranks are known to the millisecond. */
const precision = 1;
/** Milliseconds. Spans that are closer are searched as one. */
const gap = 100;
const { NEGATIVE_INFINITY: ever, POSITIVE_INFINITY: open } = Number;
const beforeVirtualTime = virtualTime - precision;
const lastBand = bands.length - 1;
const allBands = bands.map((_, band) => band);

/**
 * Which spans of its lane a claim scans for due steps. By default all. After a scan that read many
 * dead index entries: the spans where that scan found steps, where this process has made steps due
 * since, and where new ones arrive. Steps with a fairness key stand behind those without in their
 * band: where there are some, every other claim, by chance, looks for them first.
 */
export function dueIndex({ random = Math.random }: { readonly random?: () => number } = {}) {
  /** A process that never scans never claims, and need not remember anything. */
  let hasScanned = false;
  let since = ever;
  let found: readonly BandSpan[] = [];
  let added: readonly BandSpan[] = [];
  /**
   * The ranks from which on there are steps with a key, by lane and band: a scan has found the
   * first there.
   */
  const heads = new Map<string, Instant>();

  const inTime = (lane: string, band: Band): readonly Span[] => {
    if (since === ever) return [{ from: ever, to: beforeVirtualTime }];
    const known = [...found, ...added].filter((span) => span.lane === lane && span.band === band);
    return joined([...known, { from: since, to: beforeVirtualTime }]);
  };
  const inVirtualTime = (lane: string, band: Band): readonly Span[] => {
    const from = since === ever ? undefined : heads.get(nameOf(lane, band));
    return [{ from: (from ?? virtualTime) - precision, to: open }];
  };
  const spansOfBand = (lane: string, band: Band, keysFirst: boolean): readonly DueSpan[] => {
    const [timed, virtual] = [inTime(lane, band), inVirtualTime(lane, band)];
    const spans = keysFirst ? [...virtual, ...timed] : [...timed, ...virtual];
    return spans.map(({ from, to }) => ({ lane, lowBand: band, from, highBand: band, to }));
  };
  const spansOf = (lane: string, isSplit: boolean): readonly DueSpan[] => {
    const keysFirst = heads.size > 0 && random() < 0.5;
    if (since !== ever || keysFirst) {
      return allBands.flatMap((band) => spansOfBand(lane, band, keysFirst));
    }
    return isSplit
      ? [wholeBands(lane, 0, lastBand - 1), wholeBands(lane, lastBand, lastBand)]
      : [wholeBands(lane, 0, lastBand)];
  };

  return {
    /** `isSplit`: the last band has slots reserved, so that it must have spans of its own. */
    of: (
      lanes: readonly { readonly lane: string; readonly isSplit: boolean }[],
    ): readonly DueSpan[] => lanes.flatMap(({ lane, isSplit }) => spansOf(lane, isSplit)),
    /** Adds steps that this process makes due, or tries to: a span without steps costs little. */
    add(steps: readonly DueStep[], now: Instant): void {
      if (!hasScanned) return;
      for (const step of steps.filter(isVirtual)) lower(heads, step);
      const behind = steps.filter(({ rank }) => rank < now - lateness).map(spanAt);
      if (behind.length > 0) added = joinedByBand([...added, ...behind]);
    },
    /**
     * Records a scan. `recent`: from when on there may be new steps. What was added stays until the
     * next scan, as this one may have missed it.
     */
    looked(steps: readonly FoundStep[], recent: Instant): void {
      hasScanned = true;
      since = recent;
      if (since === ever) heads.clear();
      for (const step of steps.filter(isVirtual))
        heads.set(nameOf(step.lane, step.band), step.rank);
      const timed = steps.filter((step) => !isVirtual(step));
      found = joinedByBand([...added, ...timed.map(spanAt)]);
      added = [];
    },
  };
}

/** The spans without the bands behind the last one that is to be searched. */
export const spansUpTo = (last: Band, spans: readonly DueSpan[]): readonly DueSpan[] =>
  spans
    .filter(({ lowBand }) => lowBand <= last)
    .map((span) => ({ ...span, highBand: Math.min(span.highBand, last) }));

const wholeBands = (lane: string, lowBand: Band, highBand: Band): DueSpan => ({
  lane,
  lowBand,
  from: ever,
  highBand,
  to: open,
});

const isVirtual = ({ rank }: DueStep): boolean => rank >= virtualTime;

const nameOf = (lane: string, band: Band): string => `${lane} ${band}`;

/** A step that was ranked by an older head than the one that is known. */
function lower(heads: Map<string, Instant>, { lane, band, rank }: DueStep): void {
  const name = nameOf(lane, band);
  heads.set(name, Math.min(rank, heads.get(name) ?? rank));
}

const spanAt = (step: DueStep | FoundStep): BandSpan => ({
  lane: step.lane,
  band: step.band,
  from: step.rank - precision,
  to: "open" in step && step.open ? beforeVirtualTime : step.rank + precision,
});

const joinedByBand = (spans: readonly BandSpan[]): readonly BandSpan[] =>
  [...Map.groupBy(spans, ({ lane, band }) => nameOf(lane, band)).values()].flatMap((ofOne) =>
    joined(ofOne).map((span) => ({ ...ofOne[0]!, ...span })),
  );

function joined(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || from > last.to + gap) result.push({ from, to });
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return result;
}
