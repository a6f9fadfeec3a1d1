import {
  agentsOfLane,
  type BreakerState,
  type Instant,
  isRemoteFault,
  type Milliseconds,
  openForAfter,
} from "@holdfast/domain";
import { claimSteps } from "../claim/claim-due-steps.ts";
import type { ClaimedRow, ClaimedStep, ClaimOptions, LaneCapacity } from "../claim/claimed-step.ts";
import { composed, exactlyOnce, repeatable } from "../postgres/operation.ts";
import { asFault } from "../postgres/postgres-error.ts";
import { columns, type Database, query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { type Decided, inTransaction } from "../postgres/transaction.ts";
import { readLanes } from "../workflows/find-names.ts";

/**
 * The breaker of a remote service that is in trouble, or was a moment ago. Times are counted from
 * now.
 */
export interface Breaker {
  readonly service: string;
  readonly state: BreakerState;
  /** Why it came into this state. */
  readonly reason: string;
  /** An operator holds it open. */
  readonly held: boolean;
  /** Open: how long until its probe is due; null: it is not open, or held. */
  readonly openFor: Milliseconds | null;
  /** How much longer the service wants to be left alone; null: it never asked. */
  readonly throttledFor: Milliseconds | null;
  /** The time for which it has been in this state. */
  readonly age: Milliseconds;
}

/** A remote service that fails, and how that shows. */
export interface FailingService {
  readonly service: string;
  readonly reason: string;
}

/** A remote service that asks to be left alone. */
export interface Throttle {
  readonly service: string;
  readonly throttle: Milliseconds;
}

/** What an attempt that may be a probe has shown of its remote service. */
export interface ProbeOutcome {
  readonly token: string;
  readonly answered: boolean;
  /** What it failed with. */
  readonly code: string;
}

/** An operator's request about the breaker of one remote service. */
export interface BreakerRequest {
  readonly service: string;
  readonly actor: string;
  readonly reason: string;
}

export interface ByActor {
  readonly actor: string;
}

export interface BrokenService {
  readonly service: string;
  readonly instances: number;
}

export interface AgentService {
  readonly agent: string;
  readonly service: string;
}

const selectBreakers = query("find-breakers", rowsOf<Breaker>());
const selectBroken = query("find-broken-services", rowsOf<BrokenService>());
const selectServices = query("find-agent-services", rowsOf<AgentService>());

/** The breakers of remote services that hold something back, or did in the last minute. */
export const findBreakers = repeatable((db): Promise<readonly Breaker[]> => selectBreakers(db, {}));

/** Remote services with a closed breaker whose Agents' instances all have an open circuit. */
export const findBrokenServices = repeatable(
  (db): Promise<readonly BrokenService[]> => selectBroken(db, {}),
);

/** The remote services of Agents that wrap one of another name than their own. */
export const findAgentServices = repeatable(
  (db): Promise<readonly AgentService[]> => selectServices(db, {}),
);

const open = query("open-breakers", rowsOf<{ service: string }>());
const throttle = query("throttle-services");
const end = query("end-probes", rowsOf<{ service: string; state: BreakerState }>());
const hold = query("hold-breaker", rowsOf<{ service: string }>());
const close = query("close-breaker", rowsOf<{ service: string }>());

/** Opens closed breakers, and alerts an operator. Returns how many were closed. */
export const openBreakers = exactlyOnce(
  async (
    db,
    { services, actor }: ByActor & { readonly services: readonly FailingService[] },
  ): Promise<number> => {
    const openFor = openForAfter(1);
    const named = columns(services, { services: "service", reasons: "reason" });
    return (await open(db, { ...named, actor, openFor })).length;
  },
);

/** Has all Schedulers leave remote services alone, as they have asked. */
export const throttleServices = repeatable(
  async (
    db,
    { throttles, actor }: ByActor & { readonly throttles: readonly Throttle[] },
  ): Promise<void> => {
    await throttle(db, {
      ...columns(throttles, { services: "service", throttles: "throttle" }),
      actor,
    });
  },
);

/**
 * Closes or opens breakers by what their probes have shown; attempts that are no probes are left
 * out.
 */
export const endProbes = repeatable(
  async (
    db,
    { outcomes, actor }: ByActor & { readonly outcomes: readonly ProbeOutcome[] },
  ): Promise<void> => {
    await end(db, {
      ...columns(outcomes, { tokens: "token", answered: "answered", codes: "code" }),
      actor,
      first: openForAfter(1),
      longest: openForAfter(Number.POSITIVE_INFINITY),
    });
  },
);

/** Opens a breaker until an operator closes it. False: it is held open already. */
export const holdBreakerOpen = exactlyOnce(
  async (db, request: BreakerRequest): Promise<boolean> => (await hold(db, request)).length > 0,
);

/** Closes a breaker. False: it held nothing back. */
export const closeBreaker = exactlyOnce(
  async (db, request: BreakerRequest): Promise<boolean> => (await close(db, request)).length > 0,
);

/** What a remote service answered last that was a failure, as its Agent said it. */
export interface LastFault {
  readonly code: string;
  /** The detail of the fault; null: it is not kept. */
  readonly detail: string | null;
  readonly at: Instant;
}

interface FoundFault extends Omit<LastFault, "code"> {
  readonly service: string;
  readonly code: string | null;
}

const selectLastFaults = query("find-last-faults", rowsOf<FoundFault>());

/**
 * The last fault of each of these remote services that is its own, by service: not what Agents and
 * Schedulers made of it, such as an open circuit. Steps that it holds back remember it.
 */
export async function findLastFaults(
  db: Database,
  services: readonly string[],
): Promise<ReadonlyMap<string, LastFault>> {
  const faults = new Map<string, LastFault>();
  if (services.length === 0) return faults;
  for (const { service, code, detail, at } of await selectLastFaults(db, { services })) {
    if (code === null || faults.has(service) || !isRemoteFault(code)) continue;
    faults.set(service, { code, detail, at });
  }
  return faults;
}

/** A remote service, and how its breaker stands. */
export interface RemoteRecord {
  readonly service: string;
  /** The Agents that call it. */
  readonly agents: readonly string[];
  readonly state: BreakerState;
  /**
   * The instant since which it stands so; null: its breaker has never opened, and it never asked to
   * be left alone.
   */
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
  /**
   * Due steps that are held back, counted no further than to 10,000, and the tasks of the first
   * ten.
   */
  readonly heldSteps: number;
  readonly heldTasks: readonly string[];
  /**
   * What it answered last that was a failure, while it is left alone; null: nothing of it is kept.
   */
  readonly lastFault: LastFault | null;
}

const selectRemotes = queryAmong("find-remotes", rowsOf<Omit<RemoteRecord, "lastFault">>());

/**
 * The remote services of all stored workflows, and those whose breakers were ever open, with what
 * these hold back.
 */
export const findRemotes = repeatable(
  async (db, _: void, { partitions }): Promise<readonly RemoteRecord[]> => {
    const lanes = await readLanes(db);
    const pairs = lanes.flatMap((lane) => agentsOfLane(lane).map((agent) => ({ lane, agent })));
    const named = columns(pairs, { lanes: "lane", agents: "agent" });
    const remotes = await selectRemotes(db, partitions.range(), named);
    const failing = remotes.filter(({ state }) => state !== "closed");
    const faults = await findLastFaults(
      db,
      failing.map(({ service }) => service),
    );
    return remotes.map((one) => ({ ...one, lastFault: faults.get(one.service) ?? null }));
  },
);

export interface ProbeOptions extends Omit<ClaimOptions, "capacity"> {
  readonly service: string;
  /** The lanes of the service, in the order in which they are looked through. */
  readonly lanes: readonly ProbedLane[];
}

/** A lane, and of a pool the Agent that gets the step. */
export type ProbedLane = Pick<LaneCapacity, "lane" | "agent">;

const lock = query("lock-breaker", rowsOf<{ service: string }>());
const findInFlight = queryAmong("find-probe-in-flight", rowsOf<{ taskId: string }>());
const begin = query("begin-probe");

/**
 * Claims one due step of a remote service whose breaker is open and whose probe is due, in one
 * transaction with the breaker: so there is one probe for all Schedulers. Null: it is not due,
 * another Scheduler was quicker, a probe is in flight, or no step is due. Not safe to repeat: if
 * the answer is lost, the step is claimed, and the resend publishes it.
 */
export const claimProbe = composed(
  async (context, { service, lanes, ...options }: ProbeOptions): Promise<ClaimedStep | null> => {
    const claimInLane = async (client: Database, lane: ProbedLane): Promise<ClaimedRow | null> => {
      const capacity = [{ ...lane, slots: 1 }];
      const [probe] = await claimSteps(context)(client, { ...options, capacity });
      if (probe === undefined) return null;
      const { taskId, name: step, token } = probe;
      await begin(client, { service, taskId, step, token });
      return probe;
    };
    const work = async (client: Database): Promise<Decided<ClaimedRow | null>> => {
      const isDue =
        (await lock(client, { service })).length > 0 &&
        (await findInFlight(client, context.partitions.range(), { service })).length === 0;
      let probe: ClaimedRow | null = null;
      for (const lane of isDue ? lanes : []) probe ??= await claimInLane(client, lane);
      return { sent: [], result: () => probe };
    };
    const claimed = await asFault(() => inTransaction(context.pool, work));
    if (claimed !== null) context.cache.claimed([claimed], options);
    return claimed;
  },
);
