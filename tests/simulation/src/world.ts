import {
  type Host,
  printObservation,
  printState,
  type World as SimulatorWorld,
  type StateWatcher,
  seededRandom,
  type Timeline,
  timeline,
} from "@holdfast/testing/simulator";
import { areCalm, chooseFaults, type FaultKind, isRolloutSeed } from "./faults.ts";

/** What all parts of one schedule share. */
export interface World extends SimulatorWorld {
  readonly seed: number;
  /** Whether a fault of this kind happens now. Counted if it does; never after the healing. */
  strikes(kind: FaultKind): boolean;
  readonly faultCounts: ReadonlyMap<FaultKind, number>;
  /** Whether this schedule has no faults at all. */
  readonly isCalm: boolean;
  /** Whether operators change the versions of a workflow while orders come in. */
  readonly isRollout: boolean;
  /** When everything was healed; null: not yet. */
  readonly healedAt: number | null;
  /** Ends all faults, and has done what was asked for with `onHeal`. */
  readonly heal: () => void;
  /**
   * The processes of another release: they refuse what they are asked, and acknowledge it before
   * they say so.
   */
  readonly otherReleases: Set<Host>;
  /** The Schedulers that live. */
  readonly schedulers: Set<Host>;
  readonly story: readonly string[];
  /**
   * What the Schedulers saw last, and what their whole state became by it; empty unless it was
   * asked for.
   */
  readonly states: readonly string[];
  /** Takes what a Scheduler sees, if that was asked for. */
  watcherOf(host: Pick<Host, "name">): StateWatcher | undefined;
  /** A rule is broken. */
  readonly accuse: (rule: string, witness: () => string) => void;
  readonly violations: readonly Violation[];
  /** Something is under way that will still have an effect; to be called off when it has had it. */
  expect(): () => void;
  /** How much of that there is. */
  readonly expected: number;
  /** A number that was never handed out before. */
  unique(): number;
}

export interface Violation {
  readonly rule: string;
  readonly witness: string;
}

interface Options {
  readonly telling: boolean;
  /** Whether the states of Schedulers are kept. */
  readonly showing: boolean;
}

/** How many observations are kept with the states that they led to. */
const statesKept = 25;

export function newWorld(seed: number, { telling, showing }: Options): World {
  const random = seededRandom(seed);
  const time = timeline();
  const isRollout = isRolloutSeed(seed);
  const faults = chooseFaults(random, { isRollout });
  const faultCounts = new Map<FaultKind, number>();
  const story: string[] = [];
  const violations: Violation[] = [];
  const atHealing: (() => void)[] = [];
  let last = 0;

  const tell = (who: string, what: () => string): void => {
    if (telling) story.push(`${time.now.toFixed(0).padStart(7)}  ${who.padEnd(14)}  ${what()}`);
  };

  const arrived = (): void => void (world.expected -= 1);

  const world = {
    seed,
    random,
    timeline: time,
    faultCounts,
    isCalm: areCalm(faults),
    isRollout,
    story,
    ...keptStates(time, showing),
    violations,
    otherReleases: new Set<Host>(),
    schedulers: new Set<Host>(),
    tell,
    healedAt: null as number | null,
    strikes(kind: FaultKind) {
      if (world.healedAt !== null || !random.chance(faults[kind])) return false;
      faultCounts.set(kind, (faultCounts.get(kind) ?? 0) + 1);
      return true;
    },
    heal() {
      if (world.healedAt !== null) return;
      world.healedAt = time.now;
      tell("nemesis", () => "heals everything");
      for (const act of atHealing) act();
    },
    onHeal: (act: () => void) => void atHealing.push(act),
    latency: () => 1 + (random.chance(0.05) ? random.below(40) : random.below(4)),
    accuse(rule: string, witness: () => string) {
      tell("referee", () => `VIOLATION: ${rule}: ${witness()}`);
      violations.push({ rule, witness: witness() });
    },
    expect() {
      world.expected += 1;
      return arrived;
    },
    expected: 0,
    unique() {
      last += 1;
      return last;
    },
  };
  return world;
}

/** Keeps what the Schedulers saw last, each time with the state that it led to. */
function keptStates(
  time: Pick<Timeline, "now">,
  showing: boolean,
): Pick<World, "states" | "watcherOf"> {
  const states: string[] = [];
  const watcherOf = ({ name }: Pick<Host, "name">): StateWatcher => {
    return (seen, state) => {
      const at = `${time.now.toFixed(0).padStart(7)}  ${name.padEnd(14)}`;
      states.push(`${at}  sees ${printObservation(seen)}\n${at}  state ${printState(state)}`);
      if (states.length > statesKept) states.shift();
    };
  };
  return { states, watcherOf: showing ? watcherOf : () => undefined };
}
