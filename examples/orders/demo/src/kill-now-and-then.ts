import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceName, System } from "@holdfast/processes";

interface Options {
  readonly system: System;
  readonly signal: AbortSignal;
  readonly onKill: (service: ServiceName, pid: number) => void;
}

/** Milliseconds. */
const every = 3_000;
const victims: readonly ServiceName[] = ["agent", "scheduler"];

/**
 * Kills an Agent and a Scheduler in turn, as `kill -9` does; see `keepRunning` for what follows.
 */
export async function killNowAndThen({ system, signal, onKill }: Options): Promise<void> {
  const isOver = () => signal.aborted;
  for (let round = 0; !isOver(); round += 1) {
    await sleep(every, undefined, { signal }).catch(() => {});
    const name = victims[round % victims.length] ?? "agent";
    const [victim] = system.running(name);
    if (isOver() || victim === undefined) continue;
    onKill(name, victim.pid);
    victim.signal("SIGKILL");
    await victim.exited;
  }
}
