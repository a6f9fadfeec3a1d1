import { columns } from "./columns.ts";
import { type Database, query } from "./query.ts";

/** How one instance of an Agent is. */
export interface Heartbeat {
  readonly agent: string;
  readonly instance: string;
  readonly capacity: number;
  readonly inFlight: number;
  readonly breaker: "closed" | "open" | "half-open";
  /** Milliseconds. */
  readonly openForMs: number;
}

const save = query("save-heartbeats");

/** Keeps the last word of each instance. */
export async function keepHeartbeats(
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
  await save(db, columns([...latest.values()], names));
}
