import type { Milliseconds } from "@holdfast/domain";

/** The loops of a Scheduler. */
export type LoopName =
  | "claim"
  | "count"
  | "slots"
  | "confirm"
  | "outages"
  | "resend"
  | "remotes"
  | "notifications"
  | "alerts"
  | "stale notifications";

/** The loop whose next round must begin, and in how many milliseconds at the latest. */
export interface Wake {
  readonly loop: LoopName;
  readonly in: Milliseconds;
}

/** The loops that an observation wakes. Lists that come with every message are constants. */
export type Wakes = readonly Wake[];

export const noWakes: Wakes = [];
export const wakeClaims: Wakes = [{ loop: "claim", in: 0 }];
export const wakeRemotes: Wakes = [{ loop: "remotes", in: 0 }];
