import type { WorkflowDefinition } from "@holdfast/domain";
import type { ClaimedStep, StateStore } from "@holdfast/state-store";
import type { MemoryStore, Random } from "@holdfast/testing/simulator";

/** Both stores, with one claim seen by both under its own ids. */
export interface Pair {
  /**
   * One of two that share a database: a step that one holds as processing the other may have moved
   * on.
   */
  readonly real: StateStore;
  readonly memory: MemoryStore;
  readonly random: Random;
  /** What tasks are submitted of. */
  readonly workflows: readonly WorkflowDefinition[];
  /** Task ids of both, in the order of submission. */
  readonly tasks: [string, string][];
  readonly claims: [ClaimedStep, ClaimedStep][];
  readonly advance: (ms: number) => Promise<void>;
}

export type Side = 0 | 1;

/** Compares values by what they say as JSON. */
export function inOrder(one: unknown, other: unknown): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  return a < b ? -1 : Number(a > b);
}

export const sides = <T>(of: (side: Side) => T): readonly [T, T] => [of(0), of(1)];

export const indexOf = ({ tasks }: Pair, side: Side, taskId: string): number =>
  tasks.findIndex((pair) => pair[side] === taskId);

export const nameOfClaim = (
  pair: Pair,
  side: Side,
  { taskId, name, attempt }: ClaimedStep,
): string => `${indexOf(pair, side, taskId)} ${name} ${attempt}`;
