import { findPaths } from "../inspect/find-paths.ts";
import type { Binder } from "../postgres/bind.ts";
import { listAgents } from "../read/list-agents.ts";
import type { StoreContext } from "../store-context.ts";
import { findAttemptFacts } from "./find-attempt-facts.ts";
import { findChangedTasks } from "./find-changed-tasks.ts";
import { findPartitionSizes, measureOutbox } from "./find-sizes.ts";
import { findEarlierMove, findMovesSince, findStandings } from "./follow-tasks.ts";
import type { LookStore } from "./look-store.ts";

/** What people and their programs look at, over the connections of a store. */
export const lookOperations = (
  { partitions }: StoreContext,
  { repeatable }: Binder,
): LookStore => ({
  listAgents: () => repeatable(listAgents(partitions))({}),
  findPaths: () => repeatable(findPaths)({}),
  findAttemptFacts: repeatable(findAttemptFacts),
  findMovesSince: repeatable(findMovesSince(partitions)),
  findStandings: repeatable(findStandings(partitions)),
  findEarlierMove: repeatable(findEarlierMove),
  findChangedTasks: repeatable(findChangedTasks),
  findPartitionSizes: () => repeatable(findPartitionSizes)({}),
  measureOutbox: () => repeatable(measureOutbox)({}),
});
