import type { World } from "./world.ts";

/** Whether a process is alive, frozen or dead. */
interface ProcessLife {
  readonly isAlive: boolean;
  readonly isFrozen: boolean;
  /** The instant since which it has not stood still. */
  readonly awakeSince: number;
  /** Does it now, once the process is thawed, or never, should it be dead. */
  readonly act: (what: () => void) => void;
  readonly kill: () => void;
  readonly freeze: (ms: number) => void;
  readonly onDeath: (act: () => void) => void;
}

/** What reaches a frozen process waits until it goes on; what reaches a dead one is lost. */
export function processLife(world: World, name: string): ProcessLife {
  const { timeline } = world;
  const atDeath: (() => void)[] = [];
  let frozen: (() => void)[] | null = null;
  let isAlive = true;
  let awakeSince = timeline.now;

  const act = (what: () => void): void => {
    if (!isAlive) return;
    if (frozen === null) what();
    else frozen.push(what);
  };

  const thaw = (): void => {
    const waiting = frozen ?? [];
    frozen = null;
    awakeSince = timeline.now;
    if (!isAlive) return;
    world.tell(name, () => "goes on");
    // One after the other, each with all that follows from it.
    for (const what of waiting) timeline.after(0, () => act(what));
  };

  return {
    get isAlive() {
      return isAlive;
    },
    get isFrozen() {
      return frozen !== null;
    },
    get awakeSince() {
      return awakeSince;
    },
    act,
    kill() {
      if (!isAlive) return;
      isAlive = false;
      world.tell(name, () => "dies");
      for (const last of atDeath) last();
    },
    freeze(ms) {
      if (!isAlive || frozen !== null) return;
      frozen = [];
      world.tell(name, () => `freezes for ${ms} ms`);
      timeline.after(ms, thaw);
    },
    onDeath: (last) => void atDeath.push(last),
  };
}
