import { pino } from "pino";
import { agentRoutes } from "../src/agent-routes.ts";
import { findTasks } from "../src/find-tasks.ts";
import { openHttp } from "../src/open-http.ts";
import { operatorRoutes } from "../src/operator-routes.ts";
import { submitRoutes } from "../src/submit-routes.ts";
import { listRoutes as listTaskRoutes, viewRoutes } from "../src/view-routes.ts";
import { workflowRoutes } from "../src/workflow-routes.ts";

/** A route and the JSON Schemas that its requests are held to. */
export interface Route {
  readonly method: string;
  readonly url: string;
  readonly params?: unknown;
  readonly querystring?: unknown;
  readonly body?: unknown;
  /** One sentence, where the route has one. */
  readonly summary?: string;
}

/** Nothing is asked: only which routes there are. */
const unused = new Proxy({} as never, {});
const hint = () => {};
const readiness = { status: 200, body: { ready: true, failing: [] } } as const;

/** Every HTTP route of submission, with all duties. The tests and the reference page use it. */
export async function listRoutes(): Promise<readonly Route[]> {
  const health = { check: () => {}, live: () => readiness, ready: async () => readiness };
  await using app = openHttp(health, pino({ level: "silent" }));
  const found: Route[] = [];
  app.addHook("onRoute", ({ method, url, schema }) => {
    for (const one of [method].flat()) {
      if (one !== "HEAD") found.push({ ...schema, method: one, url });
    }
  });
  // The probes were added before the hook.
  found.push({ method: "GET", url: "/health/live" }, { method: "GET", url: "/health/ready" });
  const onRequest = async () => {};
  const deps = { store: unused, directory: unused, tasks: findTasks(unused), hint, onRequest };
  viewRoutes(app, deps);
  submitRoutes(app, { ...deps, failpoint: () => {}, actor: "test" });
  operatorRoutes(app, { ...deps, cancel: () => {} });
  listTaskRoutes(app, deps);
  agentRoutes(app, deps);
  workflowRoutes(app, deps);
  await app.ready();
  return found;
}
