import type { BulkItem, BulkOperation } from "@holdfast/state-store";

/** A bulk operation as the API shows it. */
export const bulkResource = ({
  waiting,
  applied,
  refused,
  succeeded,
  failedAgain,
  ...operation
}: BulkOperation) => ({
  ...operation,
  waiting,
  done: operation.matched - waiting,
  refused,
  verified: { succeeded, failedAgain, running: applied },
});

export const bulkItemResource = ({ taskId, outcome, code, step, at }: BulkItem) => ({
  taskId,
  outcome,
  code,
  step,
  at,
});
