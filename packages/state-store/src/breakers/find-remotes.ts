import { agentsOfLane, type BreakerState } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { columns, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { readLanes } from "../workflows/find-names.ts";
import { findLastFaults, type LastFault } from "./find-last-faults.ts";

/** A remote service, and how its breaker stands. */
export interface RemoteRecord {
  readonly service: string;
  /** The Agents that call it. */
  readonly agents: readonly string[];
  readonly state: BreakerState;
  /** The instant since which it stands so; null: its breaker has never opened, and it never asked to be left alone. */
  readonly since: Date | null;
  /** Who opened or closed it last, and why. */
  readonly actor: string | null;
  readonly reason: string | null;
  /** An operator holds it open. */
  readonly held: boolean;
  /** When a probe is due; null: it is not open, or held. */
  readonly openUntil: Date | null;
  readonly throttledUntil: Date | null;
  /** The step that is tried. */
  readonly probeTaskId: string | null;
  readonly probeStep: string | null;
  /** Due steps that are held back, counted no further than to 10,000, and the tasks of the first ten. */
  readonly heldSteps: number;
  readonly heldTasks: readonly string[];
  /** What it answered last that was a failure, while it is left alone; null: nothing of it is kept. */
  readonly lastFault: LastFault | null;
}

const find = queryAmong("find-remotes", rowsOf<Omit<RemoteRecord, "lastFault">>());

/** The remote services of all stored workflows, and those whose breakers were ever open, with what these hold back. */
export const findRemotes = repeatable(
  async (db, _: void, { partitions }): Promise<readonly RemoteRecord[]> => {
    const lanes = await readLanes(db);
    const pairs = lanes.flatMap((lane) => agentsOfLane(lane).map((agent) => ({ lane, agent })));
    const named = columns(pairs, { lanes: "lane", agents: "agent" });
    const remotes = await find(db, partitions.range(), named);
    const failing = remotes.filter(({ state }) => state !== "closed");
    const faults = await findLastFaults(
      db,
      failing.map(({ service }) => service),
    );
    return remotes.map((one) => ({ ...one, lastFault: faults.get(one.service) ?? null }));
  },
);
