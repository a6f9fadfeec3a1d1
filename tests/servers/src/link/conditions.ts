/** Which way bytes go. */
export type Direction = "toServer" | "toClient";

/** How a link is at the moment; what flows through it looks here for each piece. */
export interface Conditions {
  /** Milliseconds that every byte takes longer. */
  readonly latencyMs: number;
  /** Milliseconds of latency that come on top by chance. */
  readonly jitterMs: number;
  /** Directions in which nothing arrives. What is held back arrives once the link heals. */
  readonly held: readonly Direction[];
  /** New connections are refused, and the open ones were reset. */
  readonly isDown: boolean;
}

/** A link as it should be. */
export const healthy: Conditions = { latencyMs: 0, jitterMs: 0, held: [], isDown: false };
