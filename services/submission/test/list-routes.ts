import { noMetrics } from "@holdfast/runtime";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { openAccess } from "../src/access/access.ts";
import { apiRoutes } from "../src/api/api-routes.ts";
import { type Codes, commonCodes } from "../src/api/codes.ts";
import { documentOf } from "../src/api/document.ts";
import { openHttp } from "../src/open-http.ts";
import { operatorGate } from "../src/operator-gate.ts";

/** A route and the JSON Schemas that its requests are held to. */
export interface Route {
  readonly method: string;
  readonly url: string;
  readonly params?: unknown;
  readonly querystring?: unknown;
  readonly body?: unknown;
  /** One sentence, where the route has one. */
  readonly summary?: string;
  readonly operationId?: string;
  /** The codes with which it refuses because of what it is. */
  readonly commonCodes: Codes;
}

/** Nothing is asked: only which routes there are. */
const unused = new Proxy({} as never, {});
const hint = () => {};
const readiness = { status: 200, body: { ready: true, failing: [] } } as const;

function openUnused(): FastifyInstance & AsyncDisposable {
  const health = { check: () => {}, live: () => readiness, ready: async () => readiness };
  return openHttp(health, pino({ level: "silent" }));
}

const addRoutes = (app: FastifyInstance): void =>
  apiRoutes(app, {
    store: unused,
    directory: unused,
    access: openAccess({
      gate: operatorGate(null, { log: { warn: () => {} }, metrics: noMetrics }),
      anonymousMay: new Set(),
      readTasks: "anyone",
    }),
    hint,
    viewBroker: unused,
    mostStreams: 1,
    signals: { actor: "test" },
    submission: { failpoint: () => {}, actor: "test" },
    operations: {
      onRequest: async () => {},
      cancel: () => {},
      publish: unused,
      replays: { keepKeysFor: 0, ownsStatusQueue: () => true },
      queues: unused,
      configuration: {},
      inspection: unused,
    },
  });

/** Every HTTP route of submission, with all roles. The tests and the reference page use it. */
export async function listRoutes(): Promise<readonly Route[]> {
  await using opened = await openRoutes();
  return opened.routes;
}

/** A service in which all routes are, and nothing behind them. */
export async function openRoutes() {
  const app = openUnused();
  const found: Route[] = [];
  app.addHook("onRoute", ({ method, url, schema }) => {
    if (schema !== undefined && "hide" in schema) return;
    for (const one of [method].flat()) {
      if (one === "HEAD") continue;
      const common = commonCodes({ url, schema: schema ?? {} });
      found.push({ ...schema, method: one, url, commonCodes: common });
    }
  });
  addRoutes(app);
  await app.ready();
  return { app, routes: found, [Symbol.asyncDispose]: () => app.close() };
}

/** The OpenAPI document of all routes. */
export async function openApiDocument(): Promise<object> {
  await using app = openUnused();
  addRoutes(app);
  await app.ready();
  return documentOf(app);
}
