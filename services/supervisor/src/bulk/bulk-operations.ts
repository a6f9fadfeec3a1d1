import { hasBulkEnded, mayApply, nextItemIn } from "@holdfast/domain";
import { type Broker, cancelHints, wakeHint } from "@holdfast/messaging";
import { type Failpoint, type Logger, type Metrics, noMetrics, repeat } from "@holdfast/runtime";
import type { AttemptOfTask, BulkWork, SupervisorStore } from "@holdfast/state-store";

type BulkStore = Pick<SupervisorStore, "findBulkWork" | "applyBulkItems" | "verifyBulkItems">;

interface BulkDependencies {
  readonly store: BulkStore;
  /** Tells the Schedulers that there may be something to do. */
  readonly hint: () => void;
  /** Tells Agents what need not be finished. */
  readonly cancel: (obsoleteAttempts: readonly AttemptOfTask[]) => void;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  /** How long to rest while there is no operation, in milliseconds. */
  readonly rest: number;
}

/** Tasks that one transaction moves, and items of which one round looks what became of them. */
const applyBatch = 50;
const verifyBatch = 500;
/**
 * Milliseconds. A round after which others get their turn at the store, and one after which nothing
 * was seen.
 */
const shortestRest = 20;
const whileVerifying = 500;

interface BulkOptions extends Pick<BulkDependencies, "store" | "log" | "failpoint"> {
  /** The broker, to hint at the Schedulers and Agents. */
  readonly broker: Pick<Broker, "publish">;
  /** How often a Supervisor scans, in milliseconds. */
  readonly scanInterval: number;
  /** Counts rounds that fail; nothing unless given. */
  readonly metrics?: Metrics;
}

/** Scan intervals between two looks for an operation while there is none. */
const restFactor = 2;

/**
 * Works off bulk operations: `once` for cron, as far as their rates allow now; `run` until the
 * signal aborts.
 */
export function bulkOperations(bulk: BulkOptions) {
  const { broker, scanInterval, metrics = noMetrics, ...options } = bulk;
  const work = workBulkOperations({
    ...options,
    hint: wakeHint(broker),
    cancel: cancelHints(broker),
    rest: restFactor * scanInterval,
  });
  return {
    async once(): Promise<void> {
      while ((await work()) === shortestRest);
    },
    /** Resolves after the last round. */
    run: (signal: AbortSignal): Promise<void> =>
      repeat(work, { name: "bulk operations", signal, log: options.log, metrics }).ended,
  };
}

/**
 * One round over all open bulk operations: applies each to its next tasks, as its rate and its
 * canary allow, and looks what became of those before. All that is known stands in the store, so
 * any Supervisor goes on where another was killed; each skips an operation that another holds (SKIP
 * LOCKED). Resolves to the delay until the next round.
 */
export function workBulkOperations(deps: BulkDependencies) {
  const { store, rest } = deps;
  const places: Places = { applied: new Map(), verified: new Map() };
  return async (): Promise<number> => {
    const found = await store.findBulkWork();
    const known = new Set(found.map(({ id }) => id));
    for (const kept of [places.applied, places.verified]) {
      for (const id of kept.keys()) if (!known.has(id)) kept.delete(id);
    }
    const delays: number[] = [rest];
    for (const operation of found) {
      delays.push(await apply(deps, operation, places));
      if (operation.applied > 0) delays.push(await verify(deps, operation, places));
    }
    return Math.max(shortestRest, Math.min(...delays));
  };
}

/**
 * The item after which the next look at an operation begins, by its id: only this process needs to
 * know.
 */
interface Places {
  readonly applied: Map<string, number>;
  readonly verified: Map<string, number>;
}

/** Resolves to when there may be more to apply. */
async function apply(
  { store, hint, cancel, log, failpoint, rest }: BulkDependencies,
  operation: BulkWork,
  places: Places,
): Promise<number> {
  if (mayApply(operation) === 0) return rest;
  const dueIn = nextItemIn(operation);
  if (dueIn >= 1) return dueIn;
  const { id, action } = operation;
  failpoint("supervisor.applying");
  const after = places.applied.get(id) ?? 0;
  const done = await store.applyBulkItems({ id, after, batch: applyBatch });
  failpoint("supervisor.applied");
  const { applied, refused, state, obsoleteAttempts, next } = done;
  places.applied.set(id, next ?? 0);
  cancel(obsoleteAttempts);
  if (applied > 0) hint();
  if (applied + refused > 0) {
    log.info({ operationId: id, action, applied, refused }, "bulk items applied");
  }
  if (state !== null && hasBulkEnded({ state })) logEnd(log, operation, state);
  // Those that are left are locked, or another Supervisor is at work on it.
  return applied + refused > 0 || next !== null ? 0 : whileVerifying;
}

/** Resolves to when the next look is worth while. */
async function verify(
  { store, log }: BulkDependencies,
  operation: BulkWork,
  places: Places,
): Promise<number> {
  const { id, action } = operation;
  const after = places.verified.get(id) ?? 0;
  const { next, state } = await store.verifyBulkItems({ id, action, after, batch: verifyBatch });
  places.verified.set(id, next ?? 0);
  const hasJustEnded = state !== null && hasBulkEnded({ state }) && !hasBulkEnded(operation);
  if (hasJustEnded) logEnd(log, operation, state);
  return next === null ? whileVerifying : shortestRest;
}

function logEnd(
  log: BulkDependencies["log"],
  { id, action }: BulkWork,
  state: BulkWork["state"],
): void {
  const fields = { operationId: id, action, state };
  if (state === "stopped") log.warn(fields, "bulk operation stopped by its canary");
  else log.info(fields, "bulk operation ended");
}
