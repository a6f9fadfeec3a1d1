import type { TaskEvent } from "@holdfast/domain";
import type { Clock } from "@holdfast/runtime";

/** How many retries a second each remote service gets from one Scheduler whatever it answers. */
const leastPerSecond = 10;
/** How many more it gets for each attempt that it answers. */
const shareOfAnswers = 0.2;
/** Retries that may come at once. */
const burst = 20;
/** Milliseconds. No retry is delayed for longer. */
const longestDelay = 30_000;
/** Milliseconds over which the rate of answers is averaged. */
const window = 10_000;

/** The retries of one remote service, by the generic cell rate algorithm: one instant, and nothing to reset. */
interface Budget {
  /** When the last retry that was let through would be due, if all came evenly. */
  due: number;
  /** Answers per second, averaged. */
  answers: number;
  answeredAt: number;
}

/**
 * Spreads the retries of each remote service. Every step has its own retry policy, but when a service fails for
 * thousands of them, their retries together would be a load of their own. Nothing is refused: a retry beyond the
 * budget comes later.
 */
export function retryBudget({ now }: Pick<Clock, "now">) {
  const budgets = new Map<string, Budget>();

  const budgetOf = (service: string): Budget => {
    const known = budgets.get(service);
    if (known !== undefined) return known;
    const budget = { due: Number.NEGATIVE_INFINITY, answers: 0, answeredAt: now() };
    budgets.set(service, budget);
    return budget;
  };
  const fade = (budget: Budget): void => {
    budget.answers *= Math.exp((budget.answeredAt - now()) / window);
    budget.answeredAt = now();
  };

  return {
    /** An attempt was answered. */
    answered(service: string): void {
      const budget = budgetOf(service);
      fade(budget);
      budget.answers += 1_000 / window;
    },
    /** Delays the retry that a failure leads to, if the service has had too many. */
    spread(service: string, event: TaskEvent): TaskEvent {
      if (event.kind !== "failed" || !event.transient || !event.attempted) return event;
      if (event.paces === true) return event;
      const budget = budgetOf(service);
      fade(budget);
      const spacing = 1_000 / (leastPerSecond + shareOfAnswers * budget.answers);
      const earliest = now() - burst * spacing;
      budget.due = Math.min(Math.max(budget.due, earliest) + spacing, now() + longestDelay);
      const delay = Math.ceil(budget.due - now());
      return delay <= 0 ? event : { ...event, retryAfter: Math.max(event.retryAfter ?? 0, delay) };
    },
  };
}
