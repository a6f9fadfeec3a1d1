import { type BreakerState, type Milliseconds, openForAfter } from "@holdfast/domain";
import { exactlyOnce, repeatable } from "../postgres/operation.ts";
import { columns, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** The breaker of a remote service that is in trouble, or was a moment ago. Times are counted from now. */
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

/** Closes or opens breakers by what their probes have shown; attempts that are no probes are left out. */
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
