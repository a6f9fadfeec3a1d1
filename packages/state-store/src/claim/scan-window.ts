import type { Instant, Milliseconds } from "@holdfast/domain";

/** The cost of a full scan, as the store measured it. */
export interface Scan {
  /** How many entries of indexes it read. */
  readonly passed: number;
  readonly took: Milliseconds;
  /** The store's clock. */
  readonly now: Instant;
}

/**
 * Spares scans the dead index entries that an old snapshot keeps. A store without it behaves the
 * same: `noScanWindow`.
 */
export interface ScanWindow {
  /** The lower time bound of the next scan; minus infinity: scan everything, then call `saw`. */
  since(): Instant;
  /**
   * Records a full scan. Returns the instant from which on there may be steps that it missed; minus
   * infinity: there is no bound.
   */
  saw(scan: Scan): Instant;
}

/** Scans everything each time. */
export const noScanWindow: ScanWindow = { since: () => ever, saw: () => ever };

/**
 * Index entries of a scan beyond which most belong to dead rows that an old snapshot keeps from
 * vacuum.
 */
const manyEntries = 5_000;
/** Milliseconds. A row whose transaction lasts no longer is found by the next scan. */
export const lateness = 2_000;
/** Full scans take at most a tenth of the time. */
const delayFactor = 9;
const ever = Number.NEGATIVE_INFINITY;

/**
 * Returns the lower time bound for the next scan of an index in the order of time. None, as long as
 * full scans are cheap. Otherwise the time of the last full scan, until the next one is due.
 */
export function scanWindow(clock: () => number = () => performance.now()): ScanWindow {
  let recent = ever;
  let nextFullScan = ever;
  return {
    since: () => (clock() < nextFullScan ? recent : ever),
    saw({ passed, took, now }) {
      const isExpensive = passed >= manyEntries;
      recent = isExpensive ? now - lateness : ever;
      nextFullScan = isExpensive ? clock() + delayFactor * took : ever;
      return recent;
    },
  };
}
