import { type BreakerState, type Milliseconds, openForAfter } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { columns } from "../postgres/rows-to-columns.ts";
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

/** An operator's wish about the breaker of one remote service. */
export interface BreakerWish {
  readonly service: string;
  readonly actor: string;
  readonly reason: string;
}

interface ByActor {
  readonly actor: string;
}

export const findBreakers = query("find-breakers", rowsOf<Breaker>());
export const findBrokenServices = query(
  "find-broken-services",
  rowsOf<{ service: string; instances: number }>(),
);

/** The remote services of Agents that wrap one of another name than their own. */
export const findAgentServices = query(
  "find-agent-services",
  rowsOf<{ agent: string; service: string }>(),
);

const open = query("open-breakers", rowsOf<{ service: string }>());
const throttle = query("throttle-services");
const end = query("end-probes", rowsOf<{ service: string; state: BreakerState }>());
const hold = query("hold-breaker", rowsOf<{ service: string }>());
const close = query("close-breaker", rowsOf<{ service: string }>());

/** Opens closed breakers, and alerts an operator. Returns how many were closed. */
export async function openBreakers(
  db: Database,
  { services, actor }: ByActor & { readonly services: readonly FailingService[] },
): Promise<number> {
  const openFor = openForAfter(1);
  const named = columns(services, { services: "service", reasons: "reason" });
  return (await open(db, { ...named, actor, openFor })).length;
}

export async function throttleServices(
  db: Database,
  { throttles, actor }: ByActor & { readonly throttles: readonly Throttle[] },
): Promise<void> {
  await throttle(db, {
    ...columns(throttles, { services: "service", throttles: "throttle" }),
    actor,
  });
}

/** Tells breakers what their probes have shown; attempts that are no probes are left out. */
export async function endProbes(
  db: Database,
  { outcomes, actor }: ByActor & { readonly outcomes: readonly ProbeOutcome[] },
): Promise<void> {
  await end(db, {
    ...columns(outcomes, { tokens: "token", answered: "answered", codes: "code" }),
    actor,
    first: openForAfter(1),
    longest: openForAfter(Number.POSITIVE_INFINITY),
  });
}

/** Opens a breaker until an operator closes it. False: it is held open already. */
export const holdBreakerOpen = async (db: Database, wish: BreakerWish): Promise<boolean> =>
  (await hold(db, wish)).length > 0;

/** Closes a breaker. False: it held nothing back. */
export const closeBreaker = async (db: Database, wish: BreakerWish): Promise<boolean> =>
  (await close(db, wish)).length > 0;
