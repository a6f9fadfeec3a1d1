import type { BreakerState, Instant } from "@holdfast/domain";

/** The attempt at a step with which a breaker is tried. */
export interface Probe {
  readonly taskId: string;
  readonly step: string;
  readonly token: string;
}

/** The breaker of one remote service, as the state store keeps it. */
export interface StoredBreaker {
  readonly service: string;
  readonly state: BreakerState;
  readonly reason: string;
  readonly since: Instant;
  /** Infinity: held open. */
  readonly openUntil: Instant | null;
  readonly openings: number;
  readonly throttledUntil: Instant | null;
  readonly probe: Probe | null;
}
