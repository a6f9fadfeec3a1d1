import {
  type Evidence,
  evidenceOf,
  type FailureStreak,
  longestThrottle,
  mustOpen,
  nextStreak,
  shortestThrottle,
  type TaskEvent,
} from "@holdfast/domain";
import type { Clock } from "@holdfast/runtime";
import type { FailingService, ProbeOutcome, Throttle } from "@holdfast/state-store";
import type { BreakerView } from "./breaker-view.ts";

interface Dependencies {
  readonly view: Pick<BreakerView, "isClosed" | "throttledFor">;
  readonly clock: Pick<Clock, "now">;
}

/** What the store has to know of remote services. */
export interface RemoteReport {
  readonly failing: readonly FailingService[];
  readonly throttles: readonly Throttle[];
  readonly outcomes: readonly ProbeOutcome[];
}

/** Gathers what attempts show of their remote services, until it is written down. */
export function remoteReports({ view, clock }: Dependencies) {
  const streaks = new Map<string, FailureStreak>();
  const failing = new Map<string, string>();
  const throttles = new Map<string, number>();
  /** Outcomes of probes by token. */
  const outcomes = new Map<string, ProbeOutcome>();

  const count = (service: string, evidence: Evidence, code: string): void => {
    const now = clock.now();
    const streak = nextStreak(streaks.get(service) ?? null, evidence, now);
    if (streak === null) return void streaks.delete(service);
    streaks.set(service, streak);
    if (!mustOpen(streak, now) || !view.isClosed(service)) return;
    failing.set(service, `${streak.failures} attempts in a row failed, the last with ${code}`);
    streaks.delete(service);
  };

  const throttle = (service: string, asked: number | null): void => {
    if (asked === null || asked < shortestThrottle) return;
    const wanted = Math.min(asked, longestThrottle);
    // Most answers of a busy service ask for about the same: they need not all be written down.
    if (wanted < view.throttledFor(service) + shortestThrottle) return;
    throttles.set(service, Math.max(wanted, throttles.get(service) ?? 0));
  };

  return {
    /** An attempt at a step of this service has ended, and that was recorded. */
    note(service: string, event: TaskEvent): void {
      const code = event.kind === "failed" ? event.code : "";
      const evidence = evidenceOf(event);
      count(service, evidence, code);
      if (event.kind === "failed" && event.paces === true) throttle(service, event.retryAfter);
      if (view.isClosed(service) || !("token" in event)) return;
      const { token } = event;
      // A probe whose Agent did not call must not be followed by another at once.
      outcomes.set(token, { token, answered: evidence === "answered", code: code || event.kind });
    },
    isEmpty: (): boolean => failing.size + throttles.size + outcomes.size === 0,
    /** What has been gathered; call `written` once the store has it. */
    gathered(): RemoteReport {
      return {
        failing: [...failing].map(([service, reason]) => ({ service, reason })),
        throttles: [...throttles].map(([service, ms]) => ({ service, throttle: ms })),
        outcomes: [...outcomes.values()],
      };
    },
    written(report: RemoteReport): void {
      for (const { service } of report.failing) failing.delete(service);
      for (const { service } of report.throttles) throttles.delete(service);
      for (const { token } of report.outcomes) outcomes.delete(token);
    },
  };
}

export type RemoteReports = ReturnType<typeof remoteReports>;
