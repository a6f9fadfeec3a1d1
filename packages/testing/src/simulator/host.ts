import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import { processLife } from "./process-life.ts";
import type { World } from "./world.ts";

export type Role = "scheduler" | "supervisor" | "agent" | "submission" | "client";

/** One process from its start to its end. What it does and what reaches it goes through `act`. */
export interface Host {
  readonly name: string;
  readonly role: Role;
  readonly clock: Clock;
  readonly failpoint: Failpoint;
  readonly log: Logger;
  readonly isAlive: boolean;
  /** Does it now, once the process is thawed, or never, should it be dead. */
  act(what: () => void): void;
  /**
   * Does as `act`, at a moment at which the process may die, freeze, or receive a signal to stop.
   */
  actAtRisk(what: () => void): void;
  readonly kill: () => void;
  freeze(ms: number): void;
  /** The instant since which it has not stood still. */
  readonly awakeSince: number;
  onDeath(act: () => void): void;
  /** It receives a signal to stop: calls `act` instead of dying at once. */
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

/** Starts a process. The faults of the world kill it, freeze it or send it a signal to stop. */
export function startHost(world: World, { name, role }: HostOptions): Host {
  const { random, timeline } = world;
  const skew = world.strikes("clockSkew") ? random.below(4_000) - 2_000 : 0;
  const life = processLife(world, name);
  const { act, kill, freeze } = life;
  let stop: (() => void) | null = null;

  const takeRisk = (): void => {
    if (world.strikes("crash")) kill();
    else if (world.strikes("freeze")) freeze(shortOrLong());
    else if (stop !== null && world.strikes("stop")) {
      world.tell(name, () => "receives a signal to stop");
      stop();
    }
  };

  const shortOrLong = () => (random.chance(0.5) ? random.below(300) : random.below(3_000));

  return {
    name,
    role,
    log,
    act,
    kill,
    freeze,
    get isAlive() {
      return life.isAlive;
    },
    get awakeSince() {
      return life.awakeSince;
    },
    onDeath: life.onDeath,
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
      if (life.isAlive && !life.isFrozen) takeRisk();
      act(what);
    },
  };
}
