import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { agentRoutes } from "../agent-routes.ts";
import { findTasks } from "../find-tasks.ts";
import { operatorRoutes } from "../operator-routes.ts";
import { resultRoute } from "../results/result-route.ts";
import { resultWaiter } from "../results/result-waiter.ts";
import { searchRoutes } from "../search/search-routes.ts";
import { submitRoutes } from "../submit-routes.ts";
import { viewRoutes } from "../view-routes.ts";
import { workflowRoutes } from "../workflow-routes.ts";
import { documentRoutes } from "./document.ts";

type Shared = Omit<Parameters<typeof operatorRoutes>[1], "tasks" | "onRequest" | "cancel"> &
  Omit<Parameters<typeof viewRoutes>[1], "tasks"> &
  Omit<Parameters<typeof searchRoutes>[1], "onRequest"> &
  Omit<Parameters<typeof agentRoutes>[1], "onRequest"> &
  Omit<Parameters<typeof workflowRoutes>[1], "onRequest"> & {
    readonly store: Parameters<typeof findTasks>[0] & Parameters<typeof resultWaiter>[0]["store"];
  };

interface Routes extends Shared {
  /** For applications; null: tasks are not taken here. */
  readonly submission:
    | (Omit<Parameters<typeof submitRoutes>[1], keyof Shared | "tasks" | "waiter"> & {
        readonly store: Parameters<typeof submitRoutes>[1]["store"];
      })
    | null;
  /** For operators; null: there are no such routes here. */
  readonly operations: {
    /** Lets only operators pass. */
    readonly onRequest: onRequestAsyncHookHandler;
    readonly cancel: Parameters<typeof operatorRoutes>[1]["cancel"];
  } | null;
}

/** All routes under `/v1`, the document that describes them, and its page. */
export function apiRoutes(app: FastifyInstance, { submission, operations, ...deps }: Routes): void {
  const waiter = resultWaiter(deps);
  const shared = { ...deps, tasks: findTasks(deps.store), waiter };
  app.addHook("preClose", async () => waiter.stop());
  // In a scope of their own: by then the document listens to new routes.
  app.register(async (scope) => {
    viewRoutes(scope, shared);
    resultRoute(scope, shared);
    if (submission !== null) submitRoutes(scope, { ...shared, ...submission });
    if (operations !== null) {
      const { onRequest } = operations;
      operatorRoutes(scope, { ...shared, ...operations });
      searchRoutes(scope, { ...shared, onRequest });
      agentRoutes(scope, { ...shared, onRequest });
      workflowRoutes(scope, { ...shared, onRequest });
    }
  });
  documentRoutes(app);
}
