import { type Clock, cachedReading, type Metrics, type Reading } from "@holdfast/runtime";
import type { FleetFacts, SchedulerStore } from "@holdfast/state-store";
import { schedulerMetrics } from "./scheduler-metrics.ts";

interface FleetMetricDependencies {
  readonly metrics: Metrics;
  readonly store: Pick<SchedulerStore, "findFleetFacts">;
  readonly lanes: () => readonly string[];
  /** How many Schedulers there are: each reads the less often, the more there are. */
  readonly schedulers: () => number;
  readonly clock?: Clock;
}

/** Milliseconds between two readings of one Scheduler; all together read about once in `share`. */
const [least, share, most] = [5_000, 2_000, 30_000];
/** Milliseconds. */
const timeout = 1_500;
/** Milliseconds: longer than two readings are apart. */
const lasts = 90_000;

const breakerStates = { closed: 0, "half-open": 1, open: 2 } as const;

/**
 * Exposes what only Postgres knows of all instances together. A scrape reads it at most every five
 * seconds, less often if there are many Schedulers or the store is slow, and does not wait long:
 * without an answer these metrics are absent.
 */
export function exposeFleet({
  metrics,
  store,
  lanes,
  schedulers,
  clock,
}: FleetMetricDependencies): void {
  const facts = cachedReading({
    read: () => store.findFleetFacts({ lanes: lanes() }),
    freshFor: () => Math.min(most, Math.max(least, share * schedulers())),
    lasts,
    timeout,
    ...(clock === undefined ? {} : { clock }),
  });
  metrics.beforeScrape("fleet", () => facts.refresh());
  const read = (
    definition: (typeof schedulerMetrics)[keyof typeof schedulerMetrics],
    readings: (current: FleetFacts) => readonly Reading[],
  ): void =>
    metrics.read(definition, () => {
      const current = facts.current();
      return current === null ? [] : readings(current);
    });

  metrics.read(schedulerMetrics.fleetRead, () => [[facts.current() === null ? 0 : 1]]);
  read(schedulerMetrics.dueAge, (current) => ofLanes(current, lanes(), ({ age }) => age / 1_000));
  read(schedulerMetrics.due, (current) => ofLanes(current, lanes(), ({ steps }) => steps));
  read(schedulerMetrics.waitLateness, ({ waitLateness: late }) => [[(late ?? 0) / 1_000]]);
  read(schedulerMetrics.scheduleLateness, ({ scheduleLateness: late }) => [[(late ?? 0) / 1_000]]);
  read(schedulerMetrics.outboxAge, ({ oldestNotificationAge: age }) => [[(age ?? 0) / 1_000]]);
  read(schedulerMetrics.outbox, ({ notifications }) => [[notifications]]);
  read(schedulerMetrics.inboxAge, ({ oldestEnqueuedAge: age }) => [[(age ?? 0) / 1_000]]);
  read(schedulerMetrics.inbox, ({ enqueued }) => [[enqueued]]);
  read(schedulerMetrics.deadLetters, ({ deadLetters }) => [[deadLetters]]);
  read(schedulerMetrics.deadLetterAge, ({ newestDeadLetterAge: age }) =>
    age === null ? [] : [[age / 1_000]],
  );
  read(schedulerMetrics.breaker, ({ breakers }) =>
    breakers.map(({ service, state }) => [breakerStates[state], service]),
  );
}

/** A lane in which nothing is due has 0: an absent series would say nothing. */
function ofLanes(
  { lanes: waiting }: FleetFacts,
  lanes: readonly string[],
  value: (lane: FleetFacts["lanes"][number]) => number,
): readonly Reading[] {
  const byName = new Map(waiting.map((one) => [one.lane, one]));
  return lanes.map((lane) => {
    const due = byName.get(lane);
    return [due === undefined ? 0 : Math.max(0, value(due)), lane];
  });
}
