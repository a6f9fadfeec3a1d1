import type { FastifyInstance } from "fastify";
import type { OperatorDependencies } from "./operators/apply-request.ts";
import { pauseRoutes } from "./operators/pause-routes.ts";
import { remoteRoutes } from "./operators/remote-routes.ts";
import { resolveRoute } from "./operators/resolve-route.ts";
import { resubmitRoute } from "./operators/resubmit-route.ts";
import { retryRoute } from "./operators/retry-route.ts";
import { wholeTaskRoutes } from "./operators/whole-task-routes.ts";

/**
 * What operators do to tasks, Agents and workflows. Each request names its actor and its reason, that about a task also
 * the version that was seen, and goes through the state machine like everything else. A task that changed meanwhile is
 * answered with 412, and so is a double click.
 */
export function operatorRoutes(app: FastifyInstance, deps: OperatorDependencies): void {
  wholeTaskRoutes(app, deps);
  retryRoute(app, deps);
  resubmitRoute(app, deps);
  resolveRoute(app, deps);
  pauseRoutes(app, deps);
  remoteRoutes(app, deps);
}
