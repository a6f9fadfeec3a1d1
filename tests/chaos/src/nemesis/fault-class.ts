import type { Moment } from "../checker/evidence.ts";
import type { Environment } from "../system/start-environment.ts";

/** What faults are injected into. */
export interface Field {
  readonly environment: Environment;
  /** Returns a number in [0, 1), from the seed of the run. */
  readonly random: () => number;
  /**
   * Runs `work` on something that no other fault has claimed; throws when there is nothing for
   * long.
   */
  readonly claim: <Target extends { readonly name: string }, Result>(
    targets: () => readonly Target[],
    work: (target: Target) => Promise<Result>,
  ) => Promise<Result>;
  /** Is called with each message that no service will be able to read. */
  readonly poisoned: (messageId: string) => void;
}

interface Struck {
  /** What was hit, and how. */
  readonly target: string;
  /**
   * The instant when it was hit, where others can take over at once. Otherwise recovery counts from
   * its end.
   */
  readonly recoverFrom?: Moment;
}

/** A kind of fault. */
export interface FaultClass {
  readonly name: string;
  /** Faults that break the same server wait for one another. */
  readonly server: "store" | "broker" | null;
  /** How often it comes, beside the others. */
  readonly weight: number;
  /**
   * Injects one. Resolves when what it broke is whole again; rejects when it could not be injected.
   */
  strike(field: Field): Promise<Struck>;
}
