import type { Clock, Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { Observer } from "../observer.ts";
import {
  type AskedOperation,
  agingContracts,
  areContractsAging,
  contractsToWarnOf,
  unfitContractsOf,
  unknownContracts,
} from "../state/requests.ts";

interface ContractDependencies extends Observer {
  readonly store: Pick<SchedulerStore, "findContractDifferences">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "warn">;
}

export interface UnfitContracts {
  /** Contracts by which no instance can do what is asked; undefined: there are none. */
  of(asked: AskedOperation): readonly string[] | undefined;
  /**
   * Reads them before the first requests of a workflow, before the first after a while, and now and
   * then.
   */
  learn(workflows: readonly string[]): Promise<void>;
}

/** Workflows that are read at a time: the store says so much of each. */
const mostRead = 10;

/**
 * Reads the contracts that are unfit for what workflows ask, as their schemas show: usually none.
 * Requests name them, so that an instance with one of them gives them back before it calls
 * anything.
 */
export function unfitContracts({
  state,
  see,
  store,
  clock,
  log,
}: ContractDependencies): UnfitContracts {
  const { requests } = state;
  let underWay: Promise<void> | null = null;

  const readSome = async (workflows: readonly string[]): Promise<void> => {
    const found = await store.findContractDifferences({ workflows });
    const seen = { kind: "contracts", workflows, found } as const;
    for (const one of contractsToWarnOf(requests, seen)) {
      const { workflow, agent, operation, names: instances, why } = one;
      const fields = { workflow, agent, operation, instances, why };
      log.warn(fields, "instances cannot read a workflow");
    }
    see(seen);
  };
  const read = async (workflows: readonly string[]): Promise<void> => {
    for (let from = 0; from < workflows.length; from += mostRead) {
      await readSome(workflows.slice(from, from + mostRead));
    }
  };

  return {
    of: (asked) => unfitContractsOf(requests, asked),
    async learn(workflows) {
      const asked = [...new Set(workflows)];
      await read(unknownContracts(requests, asked, clock.now()));
      see({ kind: "contractsUsed", workflows: asked });
      if (underWay !== null || !areContractsAging(requests, asked, clock.now())) return;
      see({ kind: "contractsAging" });
      underWay = read(agingContracts(requests, clock.now()))
        // The next request has it tried again, and waits for it once what is known is too old.
        .catch((err: unknown) => log.warn({ err }, "the contracts of instances cannot be read"))
        .finally(() => void (underWay = null));
    },
  };
}
