import type { BulkOperation } from "../../api/operations-types.ts";
import { formatCount } from "../../parts/format.ts";
import type { Share } from "../../parts/share-bar.tsx";

/**
 * The shares of an operation's tasks by what became of them. `Applied` is not success: only what is
 * verified counts as that.
 */
export function sharesOf({ verified, refused, waiting }: BulkOperation): readonly Share[] {
  return [
    { word: "succeeded", count: verified.succeeded, tone: "good" },
    { word: "failed again", count: verified.failedAgain, tone: "bad" },
    { word: "refused", count: refused, tone: "warn" },
    { word: "applied, not verified yet", count: verified.running, tone: "busy" },
    { word: "waiting", count: waiting, tone: "quiet" },
  ];
}

/** What the service gives as the name of the one who stopped it. */
const byCanary = "holdfast (canary)";

/** What the operation does now, or how it ended, in one sentence. */
export function verdictOf(operation: BulkOperation): string {
  const { state, canary, matched, verified, waiting } = operation;
  const failedAgain = formatCount(verified.failedAgain);
  switch (state) {
    case "canary":
      return `The first ${formatCount(canary)} go ahead; the other ${formatCount(Math.max(matched - canary, 0))} wait until all of these have succeeded.`;
    case "running":
      return `It acts on ${formatCount(operation.rate)} tasks a second; ${formatCount(waiting)} wait.`;
    case "verifying":
      return `It has acted on all tasks, and waits for ${formatCount(verified.running)} to show whether they succeed.`;
    case "done":
      return verified.failedAgain === 0 && operation.refused === 0
        ? `All ${formatCount(verified.succeeded)} tasks succeeded.`
        : `${formatCount(verified.succeeded)} of ${formatCount(matched)} tasks succeeded, ${failedAgain} failed again, ${formatCount(operation.refused)} were refused.`;
    case "stopped":
      if (verified.failedAgain > 0 && operation.stoppedBy === byCanary) {
        return `The canary stopped it: ${failedAgain} failed again, so ${formatCount(waiting)} were left as they are.`;
      }
      return `${operation.stoppedBy ?? "An operator"} stopped it: ${formatCount(waiting)} tasks were left as they are.`;
    case "failed":
      return `${failedAgain} of its first tasks failed again, so it left ${formatCount(waiting)} as they are.`;
  }
}
