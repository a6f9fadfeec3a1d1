import type { Milliseconds } from "@holdfast/domain";
import type { PathFacts } from "../inspect/find-paths.ts";
import type { ListedAgent } from "../read/list-agents.ts";
import type { AttemptFacts, AttemptFactsWish } from "./find-attempt-facts.ts";
import type { ChangedTasks } from "./find-changed-tasks.ts";
import type { OutboxSize, PartitionSize } from "./find-sizes.ts";
import type { FollowedMove, FollowedTask, TaskStanding } from "./follow-tasks.ts";

/** What people and their programs look at. All of it is safe to repeat. */
export interface LookStore {
  /** The Agents and their instances, with what waits for them. It reads a bounded number of rows. */
  listAgents(): Promise<readonly ListedAgent[]>;
  /** What is known of the ways of requests and replies. */
  findPaths(): Promise<PathFacts>;
  /** The latest moves of a task's steps and the replies that were refused, at most `most` of each. */
  findAttemptFacts(wish: AttemptFactsWish): Promise<AttemptFacts>;
  /** What followed tasks have done since, at most `most` moves of each, oldest first. */
  findMovesSince(params: {
    readonly followed: readonly FollowedTask[];
    readonly most: number;
  }): Promise<readonly FollowedMove[]>;
  /** Finds the states of these tasks; those that were deleted are left out. */
  findStandings(params: { readonly taskIds: readonly string[] }): Promise<readonly TaskStanding[]>;
  /** The last move that came at least `overlap` before the move `seen`; null: there is none. */
  findEarlierMove(params: {
    readonly taskId: string;
    readonly seen: string;
    readonly overlap: Milliseconds;
  }): Promise<string | null>;
  /**
   * The tasks with moves after `after` (null: after the last one), at most `most`, the latest first. Of a long history
   * the last `mostMoves` are looked at.
   */
  findChangedTasks(params: {
    readonly after: string | null;
    readonly most: number;
    readonly mostMoves: number;
  }): Promise<ChangedTasks>;
  /** The months of the state store and how large they are, the last one first. */
  findPartitionSizes(): Promise<readonly PartitionSize[]>;
  /** How many notifications wait to be sent. */
  measureOutbox(): Promise<OutboxSize>;
}
