import { openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { listRoutes, openApiDocument } from "../test/list-routes.ts";
import { serve } from "../test/serve.ts";

const resources = new AsyncDisposableStack();
let store: StateStore;
let reads: string[] = [];
beforeAll(async () => {
  const { url } = resources.use(await migratedDatabase());
  store = resources.use(await openStateStore({ url, applicationName: "test", maxConnections: 2 }));
});
afterAll(() => resources.disposeAsync());

/** The store, with a note of each call. */
const watched = (): StateStore =>
  new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== "function") return found;
      return (...args: readonly unknown[]) => {
        reads.push(String(name));
        return Reflect.apply(found, target, args);
      };
    },
  });

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
}

test("every route that the document gives to operators asks for the token before it reads anything", async () => {
  const { paths } = (await openApiDocument()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const guarded = new Set(
    Object.values(paths)
      .flatMap((path) => Object.values(path))
      .filter(({ security }) => security.length > 0)
      .map(({ operationId }) => operationId),
  );
  expect(guarded.size).toBeGreaterThan(40);
  await using app = serve(watched(), { token: "the-operators-token" });
  const routes = (await listRoutes()).filter(({ operationId }) => guarded.has(operationId ?? ""));
  expect(routes).toHaveLength(guarded.size);
  for (const { method, url } of routes) {
    reads = [];
    const path = url.replaceAll(/:\w+/g, "unknown");
    const options = { method: method as "GET", url: path, payload: method === "GET" ? "" : {} };
    const answers = [
      await app.inject(options),
      await app.inject({ ...options, headers: { authorization: "Bearer right-or-wrong" } }),
    ];
    for (const [at, { statusCode, headers }] of answers.entries()) {
      const challenge = at === 0 ? /^Bearer realm="holdfast"$/ : /^Bearer .*error="invalid_token"/;
      if (statusCode === 401) expect(headers["www-authenticate"]).toMatch(challenge);
    }
    const codes = answers.map(({ statusCode }) => statusCode);
    // After ten wrong tokens a further one is answered 429.
    expect([method, url, codes[0], codes[1] === 401 || codes[1] === 429, reads]).toEqual([
      method,
      url,
      401,
      true,
      [],
    ]);
  }
});

test("requests for collections that are not there share what is read for them, and a miss stands for a second", async () => {
  await using app = serve(watched());
  const lookups = () => reads.filter((name) => name === "findWorkflows").length;
  const ask = (url: string) => app.inject({ method: "POST", url, payload: {} });
  await ask("/v1/unknown-first");
  reads = [];
  const rounds = 10;
  for (let at = 0; at < rounds; at += 1) {
    const names = Array.from({ length: 10 }, (_, name) => `/v1/unknown-${at}-${name}`);
    for (const { statusCode } of await Promise.all(names.map(ask))) {
      expect(statusCode).toBe(404);
    }
  }
  // One that began before the last request of its round asked may need a second one.
  expect(lookups()).toBeLessThanOrEqual(2 * rounds);
  await ask("/v1/unknown-again");
  reads = [];
  const from = performance.now();
  for (let at = 0; at < 100; at += 1) await ask("/v1/unknown-again");
  expect(lookups()).toBeLessThanOrEqual(2 + (performance.now() - from) / 1_000);
});
