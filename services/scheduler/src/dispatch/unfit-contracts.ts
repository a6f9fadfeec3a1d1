import { limits } from "@holdfast/contracts";
import type { Clock, Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "findContractDifferences">;
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
  /** The contracts by which no instance can do what is asked; undefined: there are none. */
  of(asked: Asked): readonly string[] | undefined;
  /** Reads them before the first requests of a workflow, before the first after a while, and now and then. */
  learn(workflows: readonly string[]): Promise<void>;
}

/** Milliseconds after which a request has what was read last read anew, beside it. While none is sent, nothing is read. */
const readEvery = 5_000;
/** Milliseconds after which what was read last is too old for a request, which waits. */
const longestKept = 15_000;

const keyOf = ({ workflow, agent, operation }: Asked): string =>
  `${workflow} ${agent}.${operation}`;

/**
 * The contracts that are unfit for what workflows ask, as their schemas show: usually none. Requests name them, so that an
 * instance with one of them gives them back before it calls anything. Whether an instance runs makes no difference: one
 * that has just started takes requests before its first heartbeat is known.
 */
export function unfitContracts({ store, clock, log }: Dependencies): UnfitContracts {
  let unfit: ReadonlyMap<string, readonly string[]> = new Map();
  let known: ReadonlySet<string> = new Set();
  /** What running instances cannot read, and the log has. */
  let warned: ReadonlySet<string> = new Set();
  let readAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | null = null;

  const read = async (workflows: readonly string[]): Promise<void> => {
    const found = (await store.findContractDifferences({ stored: true }))
      .filter(({ reading, offered }) => reading === "unfit" && offered !== "")
      // A request names the first ones.
      .toSorted((one, other) => other.instances - one.instances);
    const byAsked = Map.groupBy(found, keyOf);
    const running = found.filter(({ instances }) => instances > 0);
    for (const [key, [first]] of Map.groupBy(running, keyOf)) {
      if (warned.has(key) || first === undefined) continue;
      const { workflow, agent, operation, names, why } = first;
      log.warn(
        { workflow, agent, operation, instances: names, why },
        "instances cannot read a workflow",
      );
    }
    warned = new Set(running.map(keyOf));
    unfit = new Map(
      [...byAsked].map(([key, differing]) => [
        key,
        differing.slice(0, limits.unfitContracts).map(({ offered }) => offered),
      ]),
    );
    known = new Set([...known, ...workflows]);
    readAt = clock.now();
  };
  const isOlderThan = (ms: number): boolean => clock.now() >= readAt + ms;

  return {
    of: (asked) => (unfit.size === 0 ? undefined : unfit.get(keyOf(asked))),
    async learn(workflows) {
      if (isOlderThan(longestKept) || workflows.some((name) => !known.has(name))) {
        return await read(workflows);
      }
      if (underWay !== null || !isOlderThan(readEvery)) return;
      underWay = read([])
        // The next request has it tried again, and waits for it once what is known is too old.
        .catch((err: unknown) => log.warn({ err }, "the contracts of instances cannot be read"))
        .finally(() => void (underWay = null));
    },
  };
}
