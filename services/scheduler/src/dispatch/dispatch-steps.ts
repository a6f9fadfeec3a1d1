import { noTracing } from "@holdfast/runtime";
import {
  type ClaimedStep,
  type ReportedTaskEvent,
  type StateStore,
  unusableTasks,
} from "@holdfast/state-store";
import { buildRequests, type RequestStore } from "./build-requests.ts";
import { type Claiming, type PublishDependencies, requestPublisher } from "./publish-request.ts";
import { unbuildable } from "./request-faults.ts";
import { traceAttempt } from "./trace-attempt.ts";

interface Dependencies extends PublishDependencies {
  readonly store: RequestStore;
  readonly apply: StateStore["applyEvents"];
  readonly actor: string;
}

/**
 * Publishes claimed steps. The claim is committed: should anything go wrong from here on, the row
 * says what was meant, and any Scheduler relays or requeues it.
 */
export function dispatchSteps(deps: Dependencies) {
  const { store, apply, dispatches, log, failpoint, actor, clock, tracing = noTracing } = deps;
  const publish = requestPublisher(deps);
  const refuse = async (reportedEvents: readonly ReportedTaskEvent[]): Promise<void> => {
    if (reportedEvents.length === 0) return;
    const { outcomes } = await apply(reportedEvents, { actor });
    const taskIds = unusableTasks(reportedEvents, outcomes);
    if (taskIds.length > 0) log.error({ taskIds }, "task decisions failed");
  };

  /** Resolves when all are published, to what becomes of each, or refused because there is nothing to publish. */
  const buildAndPublish = async (claims: readonly ClaimedStep[], how: Claiming) => {
    const built = await buildRequests(store, claims);
    const published = built.filter((one) => "body" in one).map((request) => publish(request, how));
    const refused = built.filter((one) => "fault" in one);
    for (const { claim, fault } of refused) {
      const { isRelay, claimedAt } = how;
      const trace = traceAttempt(tracing, { claim, isRelay, age: clock.now() - claimedAt });
      trace?.end({ "error.type": fault.code });
    }
    await refuse(refused.map(unbuildable));
    return published;
  };

  return async (
    claims: readonly ClaimedStep[],
    claimedAt: number,
    { isRelay = false }: { readonly isRelay?: boolean } = {},
  ): Promise<void> => {
    dispatches.building(claims);
    const published = await buildAndPublish(claims, { claimedAt, isRelay }).finally(() =>
      dispatches.built(claims),
    );
    const returned = (await Promise.all(published)).filter(
      (reportedEvent) => reportedEvent !== null,
    );
    failpoint("scheduler.published", () => claims.map(({ name }) => name));
    await refuse(returned);
  };
}
