import { createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { measureProcess } from "../metrics/measure-process.ts";
import { openMetrics } from "../metrics/open-metrics.ts";
import { openHealth, serveHealth } from "./health.ts";

const never = new AbortController().signal;

test("a service is ready if all its checks pass", async () => {
  const health = openHealth(never);
  health.check("state store", () => Promise.resolve(true));
  health.check("broker", () => true);
  expect(await health.ready()).toEqual({ status: 200, body: { ready: true, failing: [] } });
});

test("readiness names the checks that failed", async () => {
  const health = openHealth(never);
  health.check("state store", () => Promise.reject(new Error("no route")));
  health.check("broker", () => false);
  health.check("clock", () => {
    throw new Error("stopped");
  });
  health.check("disk", () => true);
  expect(await health.ready()).toEqual({
    status: 503,
    body: { ready: false, failing: ["state store", "broker", "clock"] },
  });
});

test("readiness says why a check failed, as far as that is known", async () => {
  const health = openHealth(never);
  health.check(
    "broker",
    () => false,
    () => "login refused for user ann",
  );
  health.check(
    "state store",
    () => Promise.reject(new Error("no route")),
    () => null,
  );
  health.check(
    "disk",
    () => true,
    () => "unknown",
  );
  expect((await health.ready()).body.failing).toEqual([
    "broker: login refused for user ann",
    "state store",
  ]);
});

test("a service is not ready before it has checks", async () => {
  const health = openHealth(new AbortController().signal);
  expect((await health.ready()).body.failing).toEqual(["starting"]);
  expect(health.live().status).toBe(200);
});

test("a stopping service is not ready, but live", async () => {
  const health = openHealth(AbortSignal.abort());
  health.check("broker", () => true);
  expect((await health.ready()).body.failing).toEqual(["stopping"]);
  expect(health.live().status).toBe(200);
});

test("a service is live whatever its checks say, because a restart would not help", () => {
  const health = openHealth(never);
  health.check("broker", () => false);
  expect(health.live().status).toBe(200);
});

test("readiness runs its checks at most once a second, however many probes come", async () => {
  let now = 0;
  let asked = 0;
  const health = openHealth(never, { now: () => now });
  health.check("state store", async () => {
    asked += 1;
    return asked > 1;
  });
  const reports = await Promise.all([health.ready(), health.ready(), health.ready()]);
  now = 999;
  reports.push(await health.ready());
  expect(reports.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  expect(asked).toBe(1);
  now = 1_000;
  expect((await health.ready()).status).toBe(200);
});

test("the health server answers probes over HTTP", async () => {
  const health = openHealth(never);
  health.check("broker", () => false);
  const port = await freePort();
  await using _server = await serveHealth(health, { host: "127.0.0.1", port });
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await ask("/health/live")).status).toBe(200);
  const ready = await ask("/health/ready");
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({ ready: false, failing: ["broker"] });
  expect((await ask("/metrics")).status).toBe(404);
});

test("the health server answers a scrape while the store is away, and says so", async () => {
  const health = openHealth(never);
  health.check("state store", () => Promise.reject(new Error("away")));
  health.check("broker", () => true);
  const metrics = openMetrics("scheduler");
  using _sampling = measureProcess(metrics, health);
  const port = await freePort();
  await using _server = await serveHealth(health, { host: "127.0.0.1", port, metrics });
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  expect(text).toContain(
    'holdfast_dependency_up{dependency="state_store",service_name="scheduler"} 0',
  );
  expect(text).toContain('holdfast_dependency_up{dependency="broker",service_name="scheduler"} 1');
  expect(text).toMatch(/^holdfast_build_info\{service_version="[^"]+",.*\} 1$/m);
  expect(text).toMatch(/^nodejs_eventloop_delay_p99_seconds\{.*\} \d/m);
  expect(text).not.toContain("NaN");
});

test("the health server does not listen if the port is 0", async () => {
  await using server = await serveHealth(openHealth(never), { host: "127.0.0.1", port: 0 });
  expect(server).toBeDefined();
});

test("the health server refuses to start on a port that is taken", async () => {
  await using taken = createServer().listen(0, "127.0.0.1");
  const { promise, resolve } = Promise.withResolvers<void>();
  taken.once("listening", resolve);
  await promise;
  const address = { host: "127.0.0.1", port: portOf(taken.address()) };
  await expect(serveHealth(openHealth(never), address)).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});

const portOf = (address: ReturnType<ReturnType<typeof createServer>["address"]>): number =>
  typeof address === "object" && address !== null ? address.port : 0;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.once("listening", resolve);
  await listening;
  const port = portOf(server.address());
  await server[Symbol.asyncDispose]();
  return port;
}
