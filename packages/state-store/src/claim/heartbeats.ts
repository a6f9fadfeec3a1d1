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

/** Keeps the last heartbeat of each instance. */
export async function recordHeartbeats(
  db: Database,
  heartbeats: readonly Heartbeat[],
): Promise<void> {
  const latest = new Map(
    heartbeats.map((beat) => [
      `${beat.agent} ${beat.instance}`,
      { ...beat, joined: beat.operations?.join(",") ?? null },
    ]),
  );
  const names = {
    agents: "agent",
    instances: "instance",
    capacities: "capacity",
    inFlights: "inFlight",
    breakers: "breaker",
    openFors: "openForMs",
    operations: "joined",
  } as const;
  await save(db, columns([...latest.values()], names));
}
