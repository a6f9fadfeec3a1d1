import type { CountedEvent } from "@holdfast/domain";

/** An entry of the history that was not counted yet. */
export interface NewEvent extends Omit<CountedEvent, "from" | "to"> {
  readonly id: number;
  readonly taskId: string;
  readonly fromState: string | null;
  readonly toState: string;
  readonly reason: string | null;
  /** What the Agent said of a failure. */
  readonly detail: string | null;
  /** Whether the task waits for an operator now. */
  readonly isHalted: boolean;
}
