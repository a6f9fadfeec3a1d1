import type { BulkAction, BulkOutcome, BulkState } from "@holdfast/domain";
import type { Style } from "./state-styles.ts";

export const bulkStyles: Readonly<Record<BulkState, Style>> = {
  canary: { word: "Canary", tone: "warn", icon: "run" },
  running: { word: "Running", tone: "busy", icon: "run" },
  verifying: { word: "Verifying", tone: "busy", icon: "wait" },
  done: { word: "Done", tone: "good", icon: "done" },
  stopped: { word: "Stopped", tone: "warn", icon: "stop" },
  failed: { word: "Failed", tone: "bad", icon: "cross" },
};

/** `applied` is not success: the task still has to show it. */
export const bulkOutcomeStyles: Readonly<Record<BulkOutcome, Style>> = {
  waiting: { word: "Waiting", tone: "quiet", icon: "wait" },
  applied: { word: "Applied", tone: "busy", icon: "run" },
  refused: { word: "Refused", tone: "warn", icon: "stop" },
  succeeded: { word: "Succeeded", tone: "good", icon: "done" },
  failedAgain: { word: "Failed again", tone: "bad", icon: "cross" },
};

const bulkVerbs: Readonly<Record<string, string>> = {
  resubmit: "Resubmit",
  cancel: "Cancel",
  pause: "Pause",
  resume: "Resume",
  resolve: "Resolve",
  retryNow: "Retry now",
} satisfies Record<BulkAction, string>;

/** What a bulk operation does, whatever a newer service calls it. */
export const bulkVerb = (action: string): string =>
  (Object.hasOwn(bulkVerbs, action) ? bulkVerbs[action] : undefined) ?? action;

export const severityStyles = {
  ok: { word: "OK", tone: "good", icon: "done" },
  warning: { word: "Warning", tone: "warn", icon: "warn" },
  error: { word: "Error", tone: "bad", icon: "cross" },
} as const satisfies Readonly<Record<string, Style>>;
