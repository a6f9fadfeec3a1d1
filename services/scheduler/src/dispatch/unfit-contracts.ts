import { limits } from "@holdfast/contracts";
import type { Instant } from "@holdfast/domain";
import type { Clock, Logger } from "@holdfast/runtime";
import type { ContractDifference, SchedulerStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "findContractDifferences">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "warn">;
}

/** What is asked of an Agent, and for which workflow. */
interface Asked {
  readonly workflow: string;
  readonly agent: string;
  readonly operation: string;
}

export interface UnfitContracts {
  /** Contracts by which no instance can do what is asked; undefined: there are none. */
  of(asked: Asked): readonly string[] | undefined;
  /** Reads them before the first requests of a workflow, before the first after a while, and now and then. */
  learn(workflows: readonly string[]): Promise<void>;
}

/** Milliseconds after which a request has what was read last read anew, beside it. While none is sent, nothing is read. */
const readEvery = 5_000;
/** Milliseconds after which what was read last is too old for a request, which waits. */
const longestKept = 15_000;
/** Workflows that are read at a time: the store says so much of each. */
const mostRead = 10;

/** What is known of a workflow. */
interface Known {
  /** The contracts that are unfit, by Agent and operation. */
  readonly unfit: ReadonlyMap<string, readonly string[]>;
  readonly readAt: Instant;
  /** Whether a request needed it since then. */
  isUsed: boolean;
}

const operationOf = ({ agent, operation }: Omit<Asked, "workflow">): string =>
  `${agent}.${operation}`;

/**
 * Knows the contracts that are unfit for what workflows ask, as their schemas show: usually none. Requests name them, so
 * that an instance with one of them gives them back before it calls anything. Whether an instance runs makes no
 * difference: one that has just started takes requests before its first heartbeat is known.
 */
export function unfitContracts({ store, clock, log }: Dependencies): UnfitContracts {
  const known = new Map<string, Known>();
  const warn = warnings(log);
  let underWay: Promise<void> | null = null;

  const isOlderThan = ({ readAt }: Known, ms: number): boolean => clock.now() >= readAt + ms;
  const isFresh = (workflow: string): boolean => {
    const one = known.get(workflow);
    return one !== undefined && !isOlderThan(one, longestKept);
  };

  const readSome = async (workflows: readonly string[]): Promise<void> => {
    const found = (await store.findContractDifferences({ workflows }))
      .filter(({ reading, offered }) => reading === "unfit" && offered !== "")
      // A request names the first ones.
      .toSorted((one, other) => other.instances - one.instances);
    const readAt = clock.now();
    for (const workflow of workflows) {
      const differing = found.filter((one) => one.workflow === workflow);
      warn(workflow, differing);
      const unfit = new Map(
        [...Map.groupBy(differing, operationOf)].map(([name, ones]) => [
          name,
          ones.slice(0, limits.unfitContracts).map(({ offered }) => offered),
        ]),
      );
      known.set(workflow, { unfit, readAt, isUsed: false });
    }
  };
  const read = async (workflows: readonly string[]): Promise<void> => {
    for (let from = 0; from < workflows.length; from += mostRead) {
      await readSome(workflows.slice(from, from + mostRead));
    }
  };
  /** Reads again what requests need, and forgets what none has needed for long. */
  const refresh = async (): Promise<void> => {
    for (const [workflow, one] of known) {
      if (!one.isUsed && isOlderThan(one, longestKept)) known.delete(workflow);
    }
    const used = [...known].filter(([, one]) => one.isUsed && isOlderThan(one, readEvery));
    await read(used.map(([workflow]) => workflow));
  };

  return {
    of: ({ workflow, ...asked }) => known.get(workflow)?.unfit.get(operationOf(asked)),
    async learn(workflows) {
      const asked = [...new Set(workflows)];
      await read(asked.filter((workflow) => !isFresh(workflow)));
      const ours = asked.flatMap((workflow) => known.get(workflow) ?? []);
      for (const one of ours) one.isUsed = true;
      if (underWay !== null || !ours.some((one) => isOlderThan(one, readEvery))) return;
      underWay = refresh()
        // The next request has it tried again, and waits for it once what is known is too old.
        .catch((err: unknown) => log.warn({ err }, "the contracts of instances cannot be read"))
        .finally(() => void (underWay = null));
    },
  };
}

/** Warns of running instances that cannot read what a workflow asks for: once, until they can. */
function warnings(log: Dependencies["log"]) {
  const warned = new Map<string, ReadonlySet<string>>();
  return (workflow: string, differing: readonly ContractDifference[]): void => {
    const running = Map.groupBy(
      differing.filter(({ instances }) => instances > 0),
      operationOf,
    );
    for (const [name, [first]] of running) {
      if (first === undefined || warned.get(workflow)?.has(name) === true) continue;
      const { agent, operation, names, why } = first;
      log.warn(
        { workflow, agent, operation, instances: names, why },
        "instances cannot read a workflow",
      );
    }
    if (running.size === 0) warned.delete(workflow);
    else warned.set(workflow, new Set(running.keys()));
  };
}
