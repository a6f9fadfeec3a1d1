import { type Database, query } from "../postgres/query.ts";
import { columns } from "../postgres/rows-to-columns.ts";

/** How one instance of an Agent is. */
export interface Heartbeat {
  readonly agent: string;
  readonly instance: string;
  readonly capacity: number;
  readonly inFlight: number;
  readonly breaker: "closed" | "open" | "half-open";
  /** Milliseconds. */
  readonly openForMs: number;
  /** All that the Agent performs, undos included; undefined: it does not say. */
  readonly operations?: readonly string[];
}

const save = query("save-heartbeats");

/** Keeps the last heartbeat of each instance, and the operations that the last one of each Agent announced. */
export async function recordHeartbeats(
  db: Database,
  heartbeats: readonly Heartbeat[],
): Promise<void> {
  const latest = new Map(heartbeats.map((beat) => [`${beat.agent} ${beat.instance}`, beat]));
  const names = {
    agents: "agent",
    instances: "instance",
    capacities: "capacity",
    inFlights: "inFlight",
    breakers: "breaker",
    openFors: "openForMs",
  } as const;
  await save(db, { ...columns([...latest.values()], names), ...announcementsOf(heartbeats) });
}

function announcementsOf(heartbeats: readonly Heartbeat[]) {
  const byAgent = new Map(heartbeats.map(({ agent, operations }) => [agent, operations]));
  return { announcers: [...byAgent.keys()], announcements: [...byAgent.values()].map(joined) };
}

/** Sorted, so that the store writes a set only when it has changed. */
const joined = (operations: readonly string[] | undefined): string | null =>
  operations === undefined ? null : [...new Set(operations)].toSorted().join(",");
