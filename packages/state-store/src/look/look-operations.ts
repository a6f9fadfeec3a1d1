import type { Binder } from "../postgres/bind.ts";
import { findAttemptFacts } from "./find-attempt-facts.ts";
import { findEarlierMove, findMovesSince, findStandings } from "./follow-tasks.ts";
import type { LookStore } from "./look-store.ts";

/** What people and their programs look at, over the connections of a store. */
export const lookOperations = ({ repeatable }: Binder): LookStore => ({
  findAttemptFacts: repeatable(findAttemptFacts),
  findMovesSince: repeatable(findMovesSince),
  findStandings: repeatable(findStandings),
  findEarlierMove: repeatable(findEarlierMove),
});
