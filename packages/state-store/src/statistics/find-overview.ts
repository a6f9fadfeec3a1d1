import type { TaskState } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** The states of tasks that have not ended. */
export type OpenState = Exclude<TaskState, "processed" | "undone">;

/** What an operator looks at first, as the store knows it. */
export interface OverviewFacts {
  readonly now: Date;
  /** Open tasks by state; of more than 20,000 as far as the history is counted. */
  readonly states: Readonly<Partial<Record<OpenState, number>>>;
  readonly haltedSince: Date | null;
  readonly pausedTasks: number;
  readonly tasksPausedSince: Date | null;
  /** Dead letters, counted no further than to 1,000. */
  readonly deadLetters: number;
  readonly deadLettersSince: Date | null;
  /** Milliseconds for which the oldest notification has waited to be sent; null: none waits. */
  readonly outboxFor: number | null;
  /** Agents and workflows that are paused now, 100 at most. */
  readonly pauses: readonly ShownPause[];
  /** Alerts of the last hour, by their kind, without halted tasks. */
  readonly alerts: readonly RecentAlerts[];
}

export interface ShownPause {
  readonly kind: "agent" | "workflow";
  readonly name: string;
  readonly actor: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly since: string;
}

export interface RecentAlerts {
  readonly kind: string;
  readonly alerts: number;
  /** ISO 8601. */
  readonly since: string;
  /** The detail of the last one. */
  readonly detail: string | null;
}

interface Row extends Omit<OverviewFacts, "alerts" | "pauses"> {
  readonly hasMore: boolean;
  readonly rolledUpStates: OverviewFacts["states"];
  readonly alerts: readonly RecentAlerts[] | null;
  readonly pauses: readonly ShownPause[] | null;
}

const find = query("find-overview", rowsOf<Row>());

const most = 20_000;

/** What an operator looks at first. It reads a bounded number of rows. */
export const findOverview = repeatable(async (db): Promise<OverviewFacts> => {
  const [found] = await find(db, { most });
  const { hasMore, rolledUpStates, states, alerts, pauses, ...facts } = found!;
  return {
    ...facts,
    states: hasMore ? rolledUpStates : states,
    alerts: alerts ?? [],
    pauses: pauses ?? [],
  };
});
