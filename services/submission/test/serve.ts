import { openHealth } from "@holdfast/runtime";
import type { AttemptOfTask, StateStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { agentRoutes } from "../src/agent-routes.ts";
import { findTasks } from "../src/find-tasks.ts";
import { openHttp } from "../src/open-http.ts";
import { operatorGate } from "../src/operator-gate.ts";
import { operatorRoutes } from "../src/operator-routes.ts";
import { submitRoutes } from "../src/submit-routes.ts";
import type { WaitingLimits } from "../src/submit-task.ts";
import { listRoutes, viewRoutes } from "../src/view-routes.ts";
import { type WorkflowDirectory, workflowDirectory } from "../src/workflow-directory.ts";
import { workflowRoutes } from "../src/workflow-routes.ts";

export interface ServeOptions {
  readonly health?: Parameters<typeof openHttp>[0];
  readonly hint?: () => void;
  readonly failpoint?: (gap: string) => void;
  readonly cancel?: (obsoleteAttempts: readonly AttemptOfTask[]) => void;
  /** What operators show; null: operator routes are disabled. */
  readonly token?: string | null;
  readonly waiting?: WaitingLimits;
  readonly takesUnknownAgents?: boolean;
  readonly directory?: WorkflowDirectory;
}

/** For tests: every route of the submission service on one server. */
export function serve(
  store: StateStore,
  options: ServeOptions = {},
): FastifyInstance & AsyncDisposable {
  const { health = openHealth(new AbortController().signal), token = null } = options;
  const { hint = () => {}, failpoint = () => {}, cancel = () => {} } = options;
  const { directory = workflowDirectory(store), waiting, takesUnknownAgents = false } = options;
  const app = openHttp(health, pino({ level: "silent" }));
  const deps = { store, directory, tasks: findTasks(store), hint };
  const onRequest = operatorGate(token);
  viewRoutes(app, deps);
  submitRoutes(app, {
    ...deps,
    failpoint,
    actor: "submission-1",
    takesUnknownAgents,
    ...(waiting === undefined ? {} : { waiting }),
  });
  operatorRoutes(app, { ...deps, cancel, onRequest });
  listRoutes(app, { ...deps, onRequest });
  agentRoutes(app, { ...deps, onRequest });
  workflowRoutes(app, { ...deps, onRequest });
  return app;
}
