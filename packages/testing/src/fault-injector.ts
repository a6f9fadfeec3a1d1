import type { InjectedFault } from "./faults.ts";
import { faultyBroker } from "./faulty-broker.ts";
import { remainingFaults } from "./remaining-faults.ts";
import type { MemoryBroker } from "./simulator/broker/memory-broker.ts";
import type { World } from "./simulator/world.ts";

export interface FaultInjector {
  /** Whether the Agent dies here. */
  kills(agent: string, at: string, steps: readonly string[]): boolean;
  /** What the handler of this step throws instead of being called; null: it is called. */
  failureOf(step: string): Error | null;
  /** The broker, with faults on the way to it. */
  readonly broker: MemoryBroker;
}

/** Injects each fault as often as the test asked for. */
export function faultInjector(
  world: World,
  faults: readonly InjectedFault[],
  broker: MemoryBroker,
): FaultInjector {
  const take = remainingFaults(faults);
  return {
    kills: (agent, at, steps) =>
      take(
        "kill",
        (fault) =>
          fault.agent === agent &&
          fault.at === at &&
          (fault.step === null || steps.includes(fault.step)),
      ) !== null,
    failureOf: (step) => take("fail", (fault) => fault.step === step)?.error ?? null,
    broker: faultyBroker(world, broker, take),
  };
}
