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
 * The contracts that running instances have and that are unfit for what workflows ask of them, as their schemas show:
 * usually none. Requests name them, so that such an instance gives them back before it calls anything.
 */
export function unfitContracts({ store, clock, log }: Dependencies): UnfitContracts {
  let unfit: ReadonlyMap<string, readonly string[]> = new Map();
  let known: ReadonlySet<string> = new Set();
  let readAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | null = null;

  const read = async (workflows: readonly string[]): Promise<void> => {
    const found = (await store.findContractDifferences()).filter(
      ({ reading, offered }) => reading === "unfit" && offered !== "",
    );
    const byAsked = Map.groupBy(found, keyOf);
    for (const [key, differing] of byAsked) {
      if (unfit.has(key)) continue;
      const [{ workflow, agent, operation, names, why }] = differing as [(typeof found)[number]];
      log.warn(
        { workflow, agent, operation, instances: names, why },
        "instances cannot read a workflow",
      );
    }
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
