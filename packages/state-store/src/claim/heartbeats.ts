import { heartbeatLife, type Presence } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { columns, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** How one instance of an Agent is. */
export interface Heartbeat extends Presence {
  readonly agent: string;
  readonly instance: string;
  readonly capacity: number;
  readonly inFlight: number;
  readonly breaker: "closed" | "open" | "half-open";
  /** Milliseconds. */
  readonly openForMs: number;
  /** All that the Agent performs, undos included; undefined: it does not say. */
  readonly operations?: readonly string[];
  /**
   * The hashes of their contracts, in the same order; empty: there is none. Undefined: it does not
   * say.
   */
  readonly contracts?: readonly string[];
}

/**
 * The slots that the living instances of a lane's Agent advertise, the one that was seen last
 * first.
 */
export interface LaneSlots {
  readonly lane: string;
  readonly slots: readonly number[];
  /** How many are taken. */
  readonly busy: number;
}

const save = query("save-heartbeats");
const findSlots = query("find-agent-slots", rowsOf<LaneSlots>());

/** Keeps the last heartbeat of each instance. */
export const recordHeartbeats = repeatable(
  async (db, heartbeats: readonly Heartbeat[]): Promise<void> => {
    const latest = new Map(
      heartbeats.map((beat) => [
        `${beat.agent} ${beat.instance}`,
        { ...beat, ...announced(beat), livesFor: heartbeatLife(beat) },
      ]),
    );
    const names = {
      agents: "agent",
      instances: "instance",
      capacities: "capacity",
      inFlights: "inFlight",
      breakers: "breaker",
      openFors: "openForMs",
      livesFors: "livesFor",
      operations: "joined",
      contracts: "joinedContracts",
    } as const;
    await save(db, columns([...latest.values()], names));
  },
);

/** Contracts that are not one for each operation belong to none. */
const announced = ({ operations, contracts }: Heartbeat) => ({
  joined: operations?.join(",") ?? null,
  joinedContracts: contracts?.length === operations?.length ? (contracts?.join(",") ?? null) : null,
});

/** The slots that the living instances of each Agent advertise. */
export const findAgentSlots = repeatable((db): Promise<readonly LaneSlots[]> => findSlots(db, {}));
