/**
 * Nouns that a workflow cannot have for its tasks: routes of the platform, and fields of a task as it is shown,
 * where the noun in the singular stands for the input.
 */
const reserved: ReadonlySet<string> = new Set([
  "tasks",
  "workflows",
  "agents",
  "pauses",
  "health",
  "steps",
  "events",
  "signals",
  "timers",
  "approvals",
  "schedules",
  "limits",
  "bulk-operations",
  "console-settings",
  "operators",
  "operations",
  "messages",
  "metrics",
  "openapi",
  "docs",
  "tenants",
  "webhooks",
  "collections",
  "history",
  "ids",
  "states",
  "goals",
  "versions",
  "faultcodes",
  "results",
  "inputs",
  "paused",
  "task",
  "workflow",
  "agent",
  "state",
  "goal",
  "version",
  "result",
  "input",
  "id",
]);

export const collectionPattern = "^[a-z][a-z0-9-]{1,49}$";

/** Whether the platform needs the noun itself. */
export const isReservedCollection = (collection: string): boolean => reserved.has(collection);

/** What one of a collection is called, in codes and answers: `orders` has an `order`. */
export const singularOf = (collection: string): string =>
  collection.endsWith("s") ? collection.slice(0, -1) : collection;
