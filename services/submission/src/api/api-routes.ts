import type { BrokerView } from "@holdfast/diagnosis";
import type { Tracing } from "@holdfast/runtime";
import type { OperationsStore, SubmissionStore } from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { type Access, knowPrincipals } from "../access/access.ts";
import { nameOperators } from "../access/operator-names.ts";
import { agentRoutes } from "../agent-routes.ts";
import { approvalRoutes } from "../approvals/approval-routes.ts";
import { bulkRoutes } from "../bulk/bulk-routes.ts";
import { deadLetterRoutes } from "../dead-letters/dead-letter-routes.ts";
import { findTasks } from "../find-tasks.ts";
import { operatorRoutes } from "../operator-routes.ts";
import { readOverview } from "../overview/overview.ts";
import { overviewRoutes } from "../overview/overview-routes.ts";
import { sharedView } from "../overview/shared-view.ts";
import { resultRoute } from "../results/result-route.ts";
import { resultWaiter } from "../results/result-waiter.ts";
import { scheduleRoutes } from "../schedules/schedule-routes.ts";
import { searchRoutes } from "../search/search-routes.ts";
import { listSignalsRoute, signalRoutes } from "../signal-routes.ts";
import { eventsRoute, taskEventsRoute } from "../streams/events-route.ts";
import { followChanges } from "../streams/follow-changes.ts";
import { openStreams } from "../streams/open-streams.ts";
import { followTasks } from "../streams/poll-tasks.ts";
import { submitRoutes } from "../submit-routes.ts";
import { systemRoute } from "../system/system-route.ts";
import { attemptsRoute } from "../view/attempts-route.ts";
import { inspectionRoutes } from "../view/inspection-routes.ts";
import type { Inspection } from "../view/open-inspection.ts";
import { viewRoutes } from "../view-routes.ts";
import { workflowRoutes } from "../workflow-routes.ts";
import { describe, ref } from "./describe.ts";
import { documentRoutes } from "./document.ts";

type Shared = Omit<Parameters<typeof operatorRoutes>[1], "tasks" | "onRequest" | "cancel"> &
  Omit<Parameters<typeof viewRoutes>[1], "tasks"> &
  Omit<Parameters<typeof searchRoutes>[1], "onRequest"> &
  Omit<Parameters<typeof agentRoutes>[1], "onRequest"> &
  Omit<Parameters<typeof overviewRoutes>[1], "onRequest" | "overview"> &
  Omit<Parameters<typeof workflowRoutes>[1], "onRequest"> &
  Omit<Parameters<typeof bulkRoutes>[1], "onRequest"> & {
    readonly store: SubmissionStore & OperationsStore;
    readonly access: Access;
    /** Streams of events at a time, each with its connection. */
    readonly mostStreams: number;
  };

interface Routes extends Shared {
  /** The address of a trace, with `{traceId}` in it; null or absent: unknown. */
  readonly traceUrlTemplate?: string | null;
  /** What this process knows of the broker. */
  readonly viewBroker: () => BrokerView;
  /** The tracing of requests; none unless given. */
  readonly tracing?: Tracing;
  /** What sending signals needs, whether tasks are taken here or not. */
  readonly signals: Pick<Parameters<typeof signalRoutes>[1], "actor" | "waiting">;
  /** The routes for applications; null: tasks are not taken here. */
  readonly submission: Omit<
    Parameters<typeof submitRoutes>[1],
    keyof Shared | "tasks" | "waiter"
  > | null;
  /** The routes for operators; null: there are none here. */
  readonly operations: {
    /** Lets only operators pass. */
    readonly onRequest: onRequestAsyncHookHandler;
    readonly cancel: Parameters<typeof operatorRoutes>[1]["cancel"];
    readonly inspection: Inspection;
    readonly publish: Parameters<typeof deadLetterRoutes>[1]["publish"];
    readonly replays: Parameters<typeof deadLetterRoutes>[1]["replays"];
    readonly queues: Parameters<typeof systemRoute>[1]["queues"];
    readonly configuration: Parameters<typeof systemRoute>[1]["configuration"];
  } | null;
}

/** Requests that wait for a result at a time. */
const mostWaits = 1_000;
/** Milliseconds: however many consoles are open, the store is asked once in this time. */
const overviewFreshFor = 1_000;

/** All routes under `/v1`, the document that describes them, and its page. */
export function apiRoutes(
  app: FastifyInstance,
  { submission, operations, signals, ...deps }: Routes,
): void {
  knowPrincipals(app);
  const { memory, callerOf, shares } = app.guard;
  const waiter = resultWaiter({ ...deps, room: shares(mostWaits) });
  const tasks = findTasks(deps.store);
  const streams = openStreams({ room: shares(deps.mostStreams), memory, callerOf });
  const following = followTasks({ ...deps, tasks, streams });
  const overview = sharedView(() => readOverview(deps), { freshFor: overviewFreshFor });
  const changes = followChanges({ ...deps, streams, overview });
  const shared = { ...deps, tasks, waiter, streams, following, overview, changes };
  app.addHook("preClose", async () => {
    waiter.stop();
    following.stop();
    changes.stop();
    streams.stop();
  });
  // In a scope of their own: by then the document listens to new routes.
  app.register(async (scope) => {
    nameOperators(scope);
    consoleRoutes(scope, { traceUrlTemplate: deps.traceUrlTemplate ?? null });
    viewRoutes(scope, shared);
    resultRoute(scope, shared);
    taskEventsRoute(scope, shared);
    listSignalsRoute(scope, shared);
    const sending = submission === null && operations !== null ? [operations.onRequest] : [];
    signalRoutes(scope, { ...shared, ...signals, onRequest: sending });
    approvalRoutes(scope, shared);
    if (submission !== null) submitRoutes(scope, { ...shared, ...submission });
    if (operations !== null) {
      const { onRequest } = operations;
      operatorRoutes(scope, { ...shared, ...operations });
      attemptsRoute(scope, { ...shared, onRequest });
      inspectionRoutes(scope, { ...shared, ...operations });
      searchRoutes(scope, { ...shared, onRequest });
      agentRoutes(scope, { ...shared, onRequest });
      overviewRoutes(scope, { ...shared, onRequest });
      workflowRoutes(scope, { ...shared, onRequest });
      scheduleRoutes(scope, { ...shared, onRequest });
      bulkRoutes(scope, { ...shared, onRequest });
      eventsRoute(scope, { ...shared, onRequest });
      deadLetterRoutes(scope, { ...shared, ...operations });
      systemRoute(scope, { ...shared, ...operations });
    }
  });
  documentRoutes(app, deps);
}

interface ConsoleFacts {
  /** The address of a trace; null: nothing is known of where traces are. */
  readonly traceUrlTemplate: string | null;
}

/** Shows what the console must know before anyone has logged in. Nothing of it is a secret. */
function consoleRoutes(app: FastifyInstance, { traceUrlTemplate }: ConsoleFacts): void {
  const schema = describe({
    id: "getConsoleSettings",
    tag: "service",
    summary: "What the console must know of this installation.",
    isOpen: true,
    answers: { "200": { words: "The settings.", schema: ref("ConsoleSettings") } },
  });
  app.get("/v1/console-settings", { schema }, async () => ({ traceUrlTemplate }));
}
