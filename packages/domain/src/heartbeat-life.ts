/** What a heartbeat says of how long its instance counts as living. */
export interface Presence {
  /**
   * Milliseconds until the next heartbeat; undefined: it does not say, as in releases that beat
   * every five seconds.
   */
  readonly everyMs?: number;
  /** Whether the instance takes no more requests. */
  readonly leaving?: boolean;
}

/**
 * Milliseconds for which an instance counts as living whose heartbeats do not say when the next one
 * comes.
 */
const usualLife = 11_000;
/**
 * Intervals for which an instance counts as living: two heartbeats may be lost, and the next one
 * late.
 */
const intervals = 3.5;
/** Milliseconds. No instance counts as living for longer without a sign, whatever it says. */
const longestLife = 15_000;

/** Milliseconds for which an instance counts as living after a heartbeat. */
export function heartbeatLife({ everyMs, leaving = false }: Presence): number {
  if (leaving) return 0;
  return everyMs === undefined ? usualLife : Math.min(longestLife, everyMs * intervals);
}
