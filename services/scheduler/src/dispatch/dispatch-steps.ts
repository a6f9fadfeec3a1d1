import {
  type ClaimedStep,
  type ReportedTaskEvent,
  type StateStore,
  unusableTasks,
} from "@holdfast/state-store";
import { buildRequests, type RequestStore } from "./build-requests.ts";
import { type PublishDependencies, requestPublisher } from "./publish-request.ts";
import { unbuildable } from "./request-faults.ts";

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
  const { store, apply, log, failpoint, actor } = deps;
  const publish = requestPublisher(deps);
  const refuse = async (reportedEvents: readonly ReportedTaskEvent[]): Promise<void> => {
    if (reportedEvents.length === 0) return;
    const { outcomes } = await apply(reportedEvents, { actor });
    const taskIds = unusableTasks(reportedEvents, outcomes);
    if (taskIds.length > 0) log.error({ taskIds }, "task decisions failed");
  };

  return async (claims: readonly ClaimedStep[], claimedAt: number): Promise<void> => {
    const built = await buildRequests(store, claims);
    const published = built
      .filter((one) => "body" in one)
      .map((request) => publish(request, claimedAt));
    await refuse(built.filter((one) => "fault" in one).map(unbuildable));
    const returned = (await Promise.all(published)).filter(
      (reportedEvent) => reportedEvent !== null,
    );
    failpoint("scheduler.published", () => claims.map(({ name }) => name));
    await refuse(returned);
  };
}
