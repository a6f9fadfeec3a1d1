import type { FastifyInstance } from "fastify";
import { doorsOf } from "./doors.ts";
import { type OperatorDependencies, operatorDoor } from "./operators/apply-request.ts";
import { pauseRoutes } from "./operators/pause-routes.ts";
import { remoteRoutes } from "./operators/remote-routes.ts";
import { resolveRoute } from "./operators/resolve-route.ts";
import { resubmitRoute } from "./operators/resubmit-route.ts";
import { retryRoute } from "./operators/retry-route.ts";
import { wholeTaskRoutes } from "./operators/whole-task-routes.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

interface Dependencies extends OperatorDependencies {
  readonly directory: Pick<WorkflowDirectory, "noun">;
}

/**
 * What operators do to tasks, Agents and workflows. Each request names its actor, its reason and the version
 * of the task that it is about, and goes through the state machine like everything else. A task that changed
 * meanwhile is answered with 409, and so is a double click.
 */
export function operatorRoutes(app: FastifyInstance, deps: Dependencies): void {
  for (const door of doorsOf(deps.directory)) {
    const shared = operatorDoor(door, deps);
    wholeTaskRoutes(app, shared);
    retryRoute(app, shared);
    resubmitRoute(app, shared);
    resolveRoute(app, shared);
  }
  pauseRoutes(app, deps);
  remoteRoutes(app, deps);
}
