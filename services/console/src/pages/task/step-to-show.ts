import type { Step, Task } from "../../api/types.ts";

const order = [
  "error",
  "processing",
  "pending",
  "awaiting",
  "processed",
  "cancelled",
  "waiting",
  "skipped",
];

const rank = ({ processState }: Step): number => order.indexOf(processState);

/**
 * The step of the URL, or the one that one would ask for first: what failed, what runs, what comes
 * next.
 */
export function stepToShow({ steps }: Pick<Task, "steps">, asked: string | null): Step | null {
  const named = steps.find(({ name }) => name === asked);
  if (named !== undefined) return named;
  return steps.reduce<Step | null>(
    (best, step) => (best === null || rank(step) < rank(best) ? step : best),
    null,
  );
}
