import { byteBudget, type Clock, noTracing, type Reservation } from "@holdfast/runtime";
import {
  type ClaimedStep,
  type ReportedTaskEvent,
  type SchedulerStore,
  unusableTasks,
} from "@holdfast/state-store";
import { type BuiltRequest, buildRequests, type RequestStore } from "./build-requests.ts";
import { type Claiming, type PublishDependencies, requestPublisher } from "./publish-request.ts";
import { unbuildable } from "./request-faults.ts";
import { traceAttempt } from "./trace-attempt.ts";
import type { UnfitContracts } from "./unfit-contracts.ts";

type Sendable = Extract<BuiltRequest, { body: unknown }>;

interface Dependencies extends PublishDependencies {
  readonly store: RequestStore;
  readonly apply: SchedulerStore["applyEvents"];
  readonly actor: string;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly unfit: UnfitContracts;
}

/**
 * Bytes that this process has in memory for requests: values that are parsed, as JSON, which take up to fifteen times
 * that, and requests that the broker has not confirmed. Neither waits for the other while it has room.
 */
const most = { values: 2 * 1024 * 1024, requests: 8 * 1024 * 1024 };

/**
 * Publishes claimed steps. The claim is committed: should anything go wrong from here on, the row
 * says what was meant, and any Scheduler relays or requeues it.
 */
export function dispatchSteps(deps: Dependencies) {
  const { apply, dispatches, log, failpoint, actor, clock, tracing = noTracing } = deps;
  const publish = requestPublisher(deps);
  const refuse = async (reportedEvents: readonly ReportedTaskEvent[]): Promise<void> => {
    if (reportedEvents.length === 0) return;
    const { outcomes } = await apply(reportedEvents, { actor });
    const taskIds = unusableTasks(reportedEvents, outcomes);
    if (taskIds.length > 0) log.error({ taskIds }, "task decisions failed");
  };

  const values = byteBudget(most.values);
  const requests = byteBudget(most.requests);

  /** Resolves when all are in `published`, or refused because there is nothing to publish. */
  const buildAndPublish = async (
    claims: readonly ClaimedStep[],
    how: Claiming,
    published: Promise<ReportedTaskEvent | null>[],
  ): Promise<void> => {
    const refused: Extract<BuiltRequest, { fault: unknown }>[] = [];
    const send = (built: Sendable, room: Reservation): void =>
      void published.push(holding(room, publish(built, how)));
    const handOver = (built: BuiltRequest): Promise<void> | undefined => {
      if ("fault" in built) return void refused.push(built);
      const { length } = built.body;
      const room = requests.tryReserve(length);
      if (room !== null) {
        send(built, room);
        return;
      }
      // The broker is waited for, and what is built meanwhile waits with it.
      return requests.reserve(length).then((later) => send(built, later));
    };
    await buildRequests(claims, { ...deps, memory: values, handOver });
    for (const { claim, fault } of refused) {
      const { isRelay, claimedAt } = how;
      const trace = traceAttempt(tracing, { claim, isRelay, age: clock.now() - claimedAt });
      trace?.end({ "error.type": fault.code });
    }
    await refuse(refused.map(unbuildable));
  };

  return async (
    claims: readonly ClaimedStep[],
    claimedAt: number,
    { isRelay = false }: { readonly isRelay?: boolean } = {},
  ): Promise<void> => {
    dispatches.building(claims);
    const published: Promise<ReportedTaskEvent | null>[] = [];
    try {
      await buildAndPublish(claims, { claimedAt, isRelay }, published);
    } finally {
      dispatches.built(claims);
      // Those that were published before a part that could not be loaded, too.
      const returned = (await Promise.all(published)).filter((event) => event !== null);
      failpoint("scheduler.published", () => claims.map(({ name }) => name));
      await refuse(returned);
    }
  };
}

/** Gives the room back once the work is done, or has failed. */
async function holding<Result>(room: Reservation, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } finally {
    room[Symbol.dispose]();
  }
}
