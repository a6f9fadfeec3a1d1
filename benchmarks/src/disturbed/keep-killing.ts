import { setTimeout as sleep } from "node:timers/promises";
import { type KeptProcess, keepRunning, type ServiceName, type System } from "@holdfast/processes";

/**
 * Processes that are killed with -9, one after the other, and started anew, as an orchestrator
 * would.
 */
export interface Fleet extends AsyncDisposable {
  /** Starts one more process, waits until it is ready, and keeps it running. */
  add(name: ServiceName, env?: Readonly<Record<string, string>>): Promise<FleetMember>;
  /** How many were killed. */
  readonly kills: number;
}

export interface FleetMember {
  /** Ends it in order; it is not started again. */
  stop(): Promise<void>;
}

interface Kept {
  readonly process: KeptProcess;
  readonly leave: AbortController;
}

/** Keeps all processes of a system running, and kills one each `every` seconds; 0: none. */
export function keepKilling(system: System, { every }: { readonly every: number }): Fleet {
  const members: Kept[] = [];
  const over = new AbortController();
  let kills = 0;
  const keep = (start: () => ReturnType<System["start"]>, first?: System["processes"][number]) => {
    const leave = new AbortController();
    const signal = AbortSignal.any([leave.signal, over.signal]);
    const process = keepRunning({ start, signal, ...(first === undefined ? {} : { first }) });
    const kept = { process, leave };
    members.push(kept);
    return kept;
  };
  for (const first of system.processes) {
    keep(() => system.start(first.name as ServiceName), first);
  }
  const killing = killInTurn(() => members.map(({ process }) => process), {
    every,
    signal: over.signal,
    onKill: () => {
      kills += 1;
    },
  });
  return {
    get kills() {
      return kills;
    },
    async add(name, env) {
      const kept = keep(() => system.start(name, env));
      await kept.process.started;
      return { stop: () => stop(kept, members) };
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all([killing, ...members.map(({ process }) => process.over)]);
    },
  };
}

async function stop(kept: Kept, members: Kept[]): Promise<void> {
  members.splice(members.indexOf(kept), 1);
  kept.leave.abort();
  // A start that is under way ends first.
  await kept.process.over;
  const { process } = kept.process;
  process?.signal("SIGTERM");
  await process?.exited;
}

interface Killing {
  readonly every: number;
  readonly signal: AbortSignal;
  readonly onKill: () => void;
}

async function killInTurn(
  members: () => readonly KeptProcess[],
  { every, signal, onKill }: Killing,
): Promise<void> {
  if (every === 0) return;
  for (let turn = 0; !signal.aborted; turn += 1) {
    try {
      await sleep(every * 1_000, undefined, { signal });
    } catch {
      return;
    }
    const all = members();
    const { process = null } = all[turn % Math.max(1, all.length)] ?? {};
    if (process?.isRunning !== true) continue;
    process.signal("SIGKILL");
    onKill();
  }
}
