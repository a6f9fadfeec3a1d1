import { ContractFault } from "@holdfast/domain";

/** The gaps between two durable steps at which a process can be made to die or freeze. */
type Name =
  | "scheduler.claimed"
  | "scheduler.published"
  | "scheduler.recorded"
  | "agent.received"
  | "agent.worked"
  | "agent.replied"
  | "supervisor.found"
  | "supervisor.recovered";

/** Passes a gap; nothing happens, unless a test has set a trap there. */
export type Failpoint = (name: Name) => void;

/**
 * Reads `HOLDFAST_FAILPOINTS`, such as `scheduler.claimed=exit@2,agent.worked=freeze`: at its second
 * claim the Scheduler is gone as by kill -9; after its work the Agent stands still until SIGCONT.
 */
export function openFailpoints(text: string | undefined): Failpoint {
  if (text === undefined || text === "") return () => {};
  const traps = new Map(text.split(",").map(readTrap));
  return (name) => {
    const trap = traps.get(name);
    if (trap === undefined) return;
    trap.passes -= 1;
    if (trap.passes === 0) process.kill(process.pid, trap.signal);
  };
}

interface Trap {
  readonly signal: NodeJS.Signals;
  /** How many passes are left until it springs. */
  passes: number;
}

function readTrap(entry: string): readonly [string, Trap] {
  const [, name, action, passes = "1"] = /^([a-z.]+)=(exit|freeze)(?:@(\d+))?$/.exec(entry) ?? [];
  if (name === undefined) {
    throw new ContractFault(
      "config.invalid",
      `HOLDFAST_FAILPOINTS: "${entry}" is not name=exit or name=freeze, with @count or without`,
    );
  }
  return [name, { signal: action === "exit" ? "SIGKILL" : "SIGSTOP", passes: Number(passes) }];
}
