import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import type { World } from "./world.ts";

export type Role = "scheduler" | "supervisor" | "agent" | "client";

/** One process from its start to its end. What it does and what reaches it goes through `act`. */
export interface Host {
  readonly name: string;
  readonly role: Role;
  readonly clock: Clock;
  readonly failpoint: Failpoint;
  readonly log: Logger;
  readonly isAlive: boolean;
  /** Of another release: refuses what it is asked, and acknowledges it before it says so. */
  isOtherRelease: boolean;
  /** Does it now, once the process is thawed, or never, should it be dead. */
  act(what: () => void): void;
  /** The same at a moment at which the process may die, freeze, or be told to stop. */
  actAtRisk(what: () => void): void;
  readonly kill: () => void;
  freeze(ms: number): void;
  /** Since when it has not stood still. */
  readonly awakeSince: number;
  onDeath(act: () => void): void;
  /** It is told to stop: calls `act` instead of dying at once. */
  onStop(act: () => void): void;
}

const silent = () => {};
/** What a process logs is not simulated: its deeds are in the story. */
const log = {
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
} as unknown as Logger;

interface HostOptions {
  readonly name: string;
  readonly role: Role;
}

export function startHost(world: World, { name, role }: HostOptions): Host {
  const { random, timeline } = world;
  const skew = world.strikes("clockSkew") ? random.below(4_000) - 2_000 : 0;
  const atDeath: (() => void)[] = [];
  let stop: (() => void) | null = null;
  let frozen: (() => void)[] | null = null;

  const act = (what: () => void): void => {
    if (!host.isAlive) return;
    if (frozen === null) what();
    else frozen.push(what);
  };

  const thaw = (): void => {
    const waiting = frozen ?? [];
    frozen = null;
    host.awakeSince = timeline.now;
    if (!host.isAlive) return;
    world.tell(name, () => "goes on");
    // One after the other, each with all that follows from it.
    for (const what of waiting) timeline.after(0, () => act(what));
  };

  const kill = (): void => {
    if (!host.isAlive) return;
    host.isAlive = false;
    world.tell(name, () => "dies");
    for (const last of atDeath) last();
  };

  const freeze = (ms: number): void => {
    if (!host.isAlive || frozen !== null) return;
    frozen = [];
    world.tell(name, () => `freezes for ${ms} ms`);
    timeline.after(ms, thaw);
  };

  const takeRisk = (): void => {
    if (world.strikes("crash")) kill();
    else if (world.strikes("freeze")) freeze(shortOrLong());
    else if (stop !== null && world.strikes("stop")) {
      world.tell(name, () => "is told to stop");
      stop();
    }
  };

  const shortOrLong = () => (random.chance(0.5) ? random.below(300) : random.below(3_000));

  const host: Host & { isAlive: boolean; awakeSince: number } = {
    name,
    role,
    log,
    act,
    kill,
    freeze,
    isAlive: true,
    isOtherRelease: false,
    awakeSince: timeline.now,
    onDeath: (last) => void atDeath.push(last),
    onStop(how) {
      stop = how;
    },
    clock: {
      now: () => timeline.now + skew,
      after: (ms, ring) => timeline.timer(ms, () => act(ring)),
    },
    failpoint(at) {
      if (world.strikes("failpointCrash")) {
        world.tell(name, () => `is at ${at}`);
        kill();
      } else if (world.strikes("failpointFreeze")) {
        world.tell(name, () => `is at ${at}`);
        freeze(shortOrLong());
      }
    },
    actAtRisk(what) {
      if (host.isAlive && frozen === null) takeRisk();
      act(what);
    },
  };
  return host;
}
