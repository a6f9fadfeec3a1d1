import { overload } from "../time/batch-calls.ts";

/** Who asks. */
export interface Caller {
  /** The address of the client, behind trusted proxies as well. */
  readonly address: string;
  /** The addresses that limits count as one: an IPv4 address, or a /64 of IPv6. */
  readonly block: string;
  /** Whether the request shows the right operators' token. */
  readonly isOperator: boolean;
}

/** An amount that is held until it is released. Released twice, it is released once. */
export interface Held {
  readonly release: () => void;
  /** Gives back what is beyond so much. */
  readonly shrinkTo: (amount: number) => void;
}

interface Timeout {
  /** Milliseconds. */
  readonly timeout: number;
  /** Is given what to call when the caller is gone. */
  readonly onGone: (leave: () => void) => void;
}

/** Something of which a process has so much, and an address at most its share. */
export interface Shares {
  hasRoom(caller: Caller, amount?: number): boolean;
  /** Takes an amount for a caller; null: there is no room for it. */
  take(caller: Caller, amount?: number): Held | null;
  /** Takes it whether there is room or not: it is held already. */
  force(caller: Caller, amount: number): Held;
  /**
   * Waits for room. Rejects with `request.overload` after `timeout`, or when the caller is gone.
   */
  wait(caller: Caller, amount: number, timeout: Timeout): Promise<Held>;
  readonly used: number;
}

export interface SharesOptions {
  readonly most: number;
  /** Percent of it that one address may hold. */
  readonly addressShare: number;
  /** Percent of it that only operators get. */
  readonly reserve: number;
}

/**
 * Divides `most` among callers. An amount that is larger than what its caller may have counts as
 * that much: it is let through alone. Operators have no share: what they need is bounded by `most`.
 */
export function openShares({ most, addressShare, reserve }: SharesOptions): Shares {
  const forAll = most - Math.floor((most * reserve) / 100);
  const forOne = Math.max(1, Math.min(forAll, Math.floor((most * addressShare) / 100)));
  const byBlock = new Map<string, number>();
  let used = 0;

  const add = (block: string, amount: number): void => {
    used += amount;
    const now = (byBlock.get(block) ?? 0) + amount;
    if (now === 0) byBlock.delete(block);
    else byBlock.set(block, now);
  };
  const counted = ({ isOperator }: Caller, amount: number): number =>
    Math.min(amount, isOperator ? most : forOne);
  const hasRoom = (caller: Caller, amount = 1): boolean => {
    const more = counted(caller, amount);
    if (used + more > (caller.isOperator ? most : forAll)) return false;
    return caller.isOperator || (byBlock.get(caller.block) ?? 0) + more <= forOne;
  };
  const hold = (caller: Caller, amount: number): Held => {
    let left = counted(caller, amount);
    add(caller.block, left);
    const shrinkTo = (to: number): void => {
      if (to >= left) return;
      add(caller.block, to - left);
      left = to;
      line.serve();
    };
    return { shrinkTo, release: () => shrinkTo(0) };
  };
  const take = (caller: Caller, amount = 1): Held | null =>
    hasRoom(caller, amount) ? hold(caller, amount) : null;
  const line = openLine(take);

  return {
    hasRoom,
    take,
    force: hold,
    wait(caller, amount, timeout) {
      const held = take(caller, amount);
      return held === null ? line.wait({ caller, amount }, timeout) : Promise.resolve(held);
    },
    get used() {
      return used;
    },
  };
}

interface Wanted {
  readonly caller: Caller;
  readonly amount: number;
}

interface Waiting extends Wanted {
  readonly settle: (held: Held | null) => void;
}

/**
 * Lines callers up that wait for room: they are served in their order, but for those whose address
 * has its share.
 */
function openLine(take: Shares["take"]) {
  const waiting = new Set<Waiting>();
  return {
    serve(): void {
      for (const one of waiting) {
        const held = take(one.caller, one.amount);
        if (held !== null) one.settle(held);
      }
    },
    wait(wanted: Wanted, { timeout, onGone }: Timeout): Promise<Held> {
      const { promise, resolve, reject } = Promise.withResolvers<Held>();
      const one: Waiting = {
        ...wanted,
        settle(found) {
          clearTimeout(limit);
          waiting.delete(one);
          if (found === null) reject(overload);
          else resolve(found);
        },
      };
      const limit = setTimeout(() => one.settle(null), timeout);
      waiting.add(one);
      onGone(() => {
        if (waiting.has(one)) one.settle(null);
      });
      return promise;
    },
  };
}
