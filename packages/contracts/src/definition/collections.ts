/**
 * First parts of the paths of routes below `/v1`: a test of submission compares them with its route
 * table.
 */
export const routeNames: readonly string[] = [
  "agents",
  "approvals",
  "bulk-operations",
  "console-settings",
  "dead-letter-actions",
  "dead-letters",
  "doctor",
  "events",
  "failures",
  "overview",
  "pauses",
  "remotes",
  "schedules",
  "signals",
  "statistics",
  "system",
  "tasks",
  "verify",
  "workflows",
];

/**
 * Nouns that are kept for routes to come, so that none of these takes away a collection that is in
 * use.
 */
const namesToCome: readonly string[] = [
  "collections",
  "configuration",
  "docs",
  "health",
  "inbox",
  "keys",
  "limits",
  "messages",
  "metrics",
  "openapi",
  "operations",
  "operators",
  "principals",
  "search",
  "steps",
  "tenants",
  "timers",
  "versions",
  "webhooks",
];

const reserved: ReadonlySet<string> = new Set([...routeNames, ...namesToCome]);

export const collectionPattern = "^[a-z][a-z0-9-]{1,49}$";

/**
 * Whether the platform needs the noun itself, so that no workflow can have it as its collection.
 */
export const isReservedCollection = (collection: string): boolean => reserved.has(collection);
