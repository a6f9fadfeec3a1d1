import { PermanentFault, TransientFault } from "@holdfast/domain";
import type { Host } from "@holdfast/testing/simulator";
import type { World } from "./world.ts";

/** Which step of which task asks. */
export interface Caller {
  readonly taskId: string;
  /** The step that is done or undone. */
  readonly step: string;
}

/** What the service remembers of one idempotency key. */
interface KeyRecord {
  readonly caller: Caller;
  isDone: boolean;
  /** It said no: it will say so again. */
  isDeclined: boolean;
  /** A tombstone: a do that comes after its undo is refused. */
  isUndone: boolean;
}

/** What a step is to do. */
interface RemoteOrder {
  readonly caller: Caller;
  /** What the step before it returned; null: there was none. */
  readonly from: string | null;
  /** Asked only if the service has not answered under this key before. */
  readonly declines: () => boolean;
}

/** What the service itself does with a request that has arrived. */
export interface RemoteService {
  /** Returns what it is known by; the same for the same key. Throws when it will not. */
  perform(key: string, order: RemoteOrder): { readonly id: string };
  undo(key: string, caller: Caller): void;
}

/** Sees each effect as it comes about, and each that is taken back. */
export interface LedgerWatcher {
  performed(key: string, caller: Caller, from: string | null): void;
  undone(caller: Caller): void;
}

export const outputIdOf = ({ taskId, step }: Caller): string => `done:${taskId}:${step}`;

/** What Holdfast asks of a remote service. */
export interface RemoteHabits {
  /** It does nothing twice under one key. */
  readonly knowsKeys: boolean;
  /** It refuses to do what was undone already. */
  readonly keepsTombstones: boolean;
  /** Its callers tell its own refusals, which are bound to the key, from those of a gateway. */
  readonly knowsEffects: boolean;
}

/**
 * Something before the service that refuses a call: either the request has passed it by then, or it
 * has not.
 */
export const refusingGateway =
  (
    { chance }: Pick<World["random"], "chance">,
    { knowsEffects = true }: Pick<Partial<RemoteHabits>, "knowsEffects"> = {},
  ) =>
  (ask: () => object): never => {
    if (chance(0.5)) ask();
    const says = knowsEffects ? {} : ({ effect: "none" } as const);
    throw new PermanentFault("remote.unauthorised", "Who are you?", says);
  };

export function remoteService(
  watcher: LedgerWatcher,
  { knowsKeys = true, keepsTombstones = true }: Partial<RemoteHabits> = {},
): RemoteService {
  const records = new Map<string, KeyRecord>();
  const recordOf = (key: string, caller: Caller): KeyRecord => {
    const record = records.get(key) ?? {
      caller,
      isDone: false,
      isDeclined: false,
      isUndone: false,
    };
    records.set(key, record);
    return record;
  };
  return {
    perform(key, { caller, from, declines }) {
      const record = recordOf(key, caller);
      if (record.isUndone && keepsTombstones) {
        throw new PermanentFault("remote.undone", "This was undone already", { effect: "none" });
      }
      if (!record.isDone || !knowsKeys) {
        record.isDeclined ||= declines();
        if (record.isDeclined) {
          throw new PermanentFault("remote.declined", "No", { effect: "none" });
        }
        record.isDone = true;
        watcher.performed(key, caller, from);
      }
      return { id: outputIdOf(caller) };
    },
    undo(key, caller) {
      const record = recordOf(key, caller);
      if (record.isUndone) return;
      record.isUndone = true;
      if (record.isDone) watcher.undone(record.caller);
    },
  };
}

/**
 * How a step behaves whatever else happens: the business says no, the service never works, it does
 * not work until everything is healed, or it works and its answers are lost until then.
 */
export type Script = "fine" | "declined" | "failing" | "lossy" | "out";

export interface RemoteOptions {
  /** What stands in the story. */
  readonly what: string;
  readonly isDown: boolean;
  readonly isLossy: boolean;
}

/**
 * A request to the service over a network: it may be refused, be answered late or never, or be done
 * and reported as failed. What is on its way arrives even if the process that asked is dead by
 * then.
 */
export function callRemote<Result>(
  world: World,
  host: Host,
  { what, isDown, isLossy }: RemoteOptions,
  work: () => Result,
): Promise<Result> {
  const { random, timeline } = world;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const answer = (ms: number, how: () => void): void => {
    timeline.after(ms, () => host.act(how));
  };
  const fail = (fault: Error, ms = 2): void => {
    world.tell("remote", () => `${what}: ${fault.message}`);
    answer(ms, () => reject(fault));
  };
  const arrive = (arrived: () => void): void => {
    arrived();
    if (isDown || world.strikes("remoteRefusal")) {
      return fail(new TransientFault("remote.down", "Out of order"));
    }
    if (world.strikes("remoteBusy")) {
      return fail(new TransientFault("remote.busy", "Come again", busy));
    }
    if (world.strikes("remoteBusyForAges")) {
      return fail(new TransientFault("remote.busy", "Come again in the year 5138", busyForAges));
    }
    let result: Result;
    try {
      result = work();
    } catch (error) {
      return fail(error as Error);
    }
    if ((isLossy && world.healedAt === null) || world.strikes("remoteUnconfirmed")) {
      return fail(new TransientFault("remote.lost", "Done, and the answer is lost"));
    }
    const slow = world.strikes("remoteSlow") ? random.below(900) : 0;
    answer(5 + random.below(20) + slow, () => resolve(result));
  };
  host.act(() => {
    const slow = world.strikes("remoteSlow") ? random.below(3_500) : 0;
    if (slow > 0) world.tell("remote", () => `${what} is on its way for ${slow} ms`);
    const arrived = world.expect();
    timeline.aside(2 + random.below(10) + slow, () => arrive(arrived));
  });
  return promise;
}

const busy = { retryAfter: "150ms" } as const;
const busyForAges = { retryAfter: 99_999_999_999_000 } as const;
