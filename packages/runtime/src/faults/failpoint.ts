import { channel } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { ContractFault, type Goal, goalOfStep } from "@holdfast/domain";

/**
 * The gaps between two durable steps at which a process can be made to die or freeze. A name in
 * `-ing` is the gap just before such a step, when all that it needs is ready; the others come just
 * after it, before its outcome is reported.
 */
type Name =
  /** Orders, over HTTP or by message. */
  | "submission.accepting"
  | "submission.accepted"
  /** Schedules whose time has come; some of them have fired. */
  | "submission.firing"
  | "submission.fired"
  /** A claim by itself; steps claimed by it or with replies. */
  | "scheduler.claiming"
  | "scheduler.claimed"
  /** A request on its way to the broker; all of a claim confirmed. */
  | "scheduler.publishing"
  | "scheduler.published"
  | "scheduler.confirming"
  | "scheduler.confirmed"
  /** Replies. */
  | "scheduler.recording"
  | "scheduler.recorded"
  /** Requests that came back. */
  | "scheduler.requeuing"
  | "scheduler.requeued"
  /** Requests of another Scheduler that this one resends. */
  | "scheduler.resending"
  | "agent.received"
  | "agent.worked"
  /** A reply on its way to the broker. */
  | "agent.replying"
  | "agent.replied"
  | "supervisor.found"
  | "supervisor.recovered"
  /** The next items of a bulk operation. */
  | "supervisor.applying"
  | "supervisor.applied";

/**
 * Passes a gap; nothing happens, unless a test has armed it. `steps` names the steps
 * that are processed here; only a failpoint that is limited to some calls it.
 */
export type Failpoint = (name: Name, steps?: () => readonly string[]) => void;

/**
 * Reads `HOLDFAST_FAILPOINTS`, such as `scheduler.claimed=exit@2,agent.worked@undo=freeze`: at its
 * second claim the Scheduler is gone as by kill -9; after its first work on an undo the Agent
 * stands still until SIGCONT. With `@do` or `@undo` a gap counts only while such a step is
 * processed.
 */
export function openFailpoints(text: string | undefined): Failpoint {
  if (text === undefined || text === "") return () => {};
  const armed = text.split(",").map(readFailpoint);
  return (name, steps = () => []) => {
    const armedOne = armed.find((one) => one.name === name);
    if (armedOne === undefined) return;
    if (armedOne.goal !== null && !steps().some((step) => goalOfStep(step) === armedOne.goal))
      return;
    armedOne.passes -= 1;
    if (armedOne.passes > 0) return;
    armed.splice(armed.indexOf(armedOne), 1);
    // At once: a log that is written a moment later would be lost with the process.
    writeSync(
      process.stderr.fd,
      `${JSON.stringify({ level: 40, msg: "failpoint hit", gap: name })}\n`,
    );
    process.kill(process.pid, signals[armedOne.action]);
  };
}

interface ArmedFailpoint {
  readonly name: string;
  readonly goal: Goal | null;
  readonly action: keyof typeof signals;
  /** How many passes are left until it springs. */
  passes: number;
}

const signals = { exit: "SIGKILL", freeze: "SIGSTOP" } as const;

function readFailpoint(entry: string): ArmedFailpoint {
  const [, name, goal = null, action, passes = "1"] =
    /^([a-z.-]+)(?:@(do|undo))?=(exit|freeze)(?:@(\d+))?$/.exec(entry) ?? [];
  if (name === undefined) {
    throw new ContractFault(
      "config.invalid",
      `HOLDFAST_FAILPOINTS: "${entry}" is not gap=exit or gap=freeze, with @do or @undo after the gap and @count at the end, or without`,
    );
  }
  return {
    name,
    goal: goal as ArmedFailpoint["goal"],
    action: action as ArmedFailpoint["action"],
    passes: Number(passes),
  };
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Every fault that was injected on purpose, published as it happens, with fields for a log line. A
 * test subscribes to see that there were any. Without injected faults nothing is published.
 */
export const injectedFaults = channel("holdfast.injected-faults");
