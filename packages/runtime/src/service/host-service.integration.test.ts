import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { PermanentFault, TransientFault } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { Type } from "typebox";
import { BaseConfig, Text } from "../config/config.ts";
import { foundTracing } from "../tracing/open-tracing.ts";
import { noTracing } from "../tracing/tracing.ts";
import { type HostedService, hostedNow, hostService } from "./host-service.ts";
import { defineService, type Service } from "./service.ts";

const Config = Type.Object({
  ...BaseConfig.properties,
  GREETING: Type.Optional(Text({ description: "what it says" })),
});

interface Line {
  readonly msg: string;
  readonly service: string;
  readonly instance: string;
  readonly greeting?: string;
}

/** Hosts a service and keeps what it logs. */
function open(service: Service, env: Readonly<Record<string, string>> = {}) {
  const lines: Line[] = [];
  const hosted = hostService(service, {
    env,
    onLine: (line) => lines.push(JSON.parse(line) as Line),
  });
  return { hosted, lines, said: () => lines.map(({ msg }) => msg) };
}

/** Whether a service has neither stopped nor failed by now. */
const stillRuns = (hosted: HostedService): Promise<boolean> =>
  Promise.race([
    hosted.ended.then(() => false),
    new Promise<boolean>((resolve) => setImmediate(resolve, true)),
  ]);

const greeter = (name: string): Service =>
  defineService(name, Config, async ({ config, env, ready, stopped, log, health }) => {
    health.check("greeting", () => true);
    ready({ greeting: config.GREETING ?? env["FALLBACK"] ?? null });
    await stopped;
    log.info("finished");
  });

test("two services of one process have a configuration, a log and a signal to stop of their own", async () => {
  const listeners = process.listenerCount("SIGTERM");
  await using first = open(greeter("first"), { GREETING: "hello" }).hosted;
  const second = open(greeter("second"), { FALLBACK: "good day" });
  expect(await first.ready).toEqual({ greeting: "hello" });
  expect(await second.hosted.ready).toEqual({ greeting: "good day" });
  expect(process.listenerCount("SIGTERM")).toBe(listeners);

  await second.hosted[Symbol.asyncDispose]();

  expect(second.said()).toEqual(["started", "ready", "finished", "stopped"]);
  expect(new Set(second.lines.map(({ service }) => service))).toEqual(new Set(["second"]));
  expect(await stillRuns(first)).toBe(true);
});

test("two services of one process expose their own metrics", async () => {
  const ports = [21_701 + (process.pid % 500), 22_301 + (process.pid % 500)];
  const services = ports.map((port, index) =>
    open(greeter(`metered-${index}`), { HEALTH_PORT: String(port), HEALTH_HOST: "127.0.0.1" }),
  );
  await Promise.all(services.map(({ hosted }) => hosted.ready));
  const texts = await Promise.all(
    ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  );
  for (const [index, text] of texts.entries()) {
    expect(text).toContain(`service_name="metered-${index}"`);
    expect(text).not.toContain(`service_name="metered-${1 - index}"`);
  }
  await Promise.all(services.map(({ hosted }) => hosted[Symbol.asyncDispose]()));
});

/** The addresses of this machine that no other one reaches. */
const loopbacks = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .filter(({ address }) => ["127.0.0.1", "::1"].includes(address))
  .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));

test("a service answers probes by IPv4 and by IPv6, unless a setting says otherwise", async () => {
  const port = 22_901 + (process.pid % 500);
  await using service = open(greeter("reached"), { HEALTH_PORT: String(port) }).hosted;
  await service.ready;
  for (const host of loopbacks) {
    const { status } = await fetch(`http://${host}:${port}/health/live`);
    expect([host, status]).toEqual([host, 200]);
  }
});

test("a service whose configuration is wrong says so where it is awaited, and nothing runs", async () => {
  const { hosted, said } = open(greeter("odd"), { LOG_LEVEL: "loud" });
  await expect(hosted.ready).rejects.toMatchObject({ code: "config.invalid" });
  await expect(hosted.ended).rejects.toMatchObject({ code: "config.invalid" });
  await hosted[Symbol.asyncDispose]();
  expect(said()).toEqual([]);
});

test.each(["HOLDFAST_FAILPOINTS", "HOLDFAST_STORE_FAULTS", "NODE_OPTIONS"])(
  "a service in a process with others refuses %s, which would act on all of them",
  async (name) => {
    const { hosted } = open(greeter("trapped"), { [name]: "agent.worked=exit" });
    await expect(hosted.ready).rejects.toThrow(`${name} acts on a whole process`);
  },
);

test("a service that fails ends, says why, and leaves the process and the others alone", async () => {
  const fails = defineService("fails", Config, async ({ ready }) => {
    ready();
    throw new Error("boom");
  });
  await using other = open(greeter("other")).hosted;
  const { hosted } = open(fails);
  await hosted.ready;
  await expect(hosted.ended).rejects.toThrow("boom");
  await hosted[Symbol.asyncDispose]();
  expect(await stillRuns(other)).toBe(true);
});

test("a service that met a transient fault at its start runs again", async () => {
  let starts = 0;
  const late = defineService("late", Config, async ({ ready, stopped }) => {
    starts += 1;
    if (starts === 1) throw new TransientFault("store.unavailable", "no route");
    ready();
    await stopped;
  });
  await using hosted = open(late).hosted;
  await hosted.ready;
  expect(starts).toBe(2);
});

test("code that runs for a service knows whose it is", async () => {
  const names: (string | null)[] = [];
  const curious = (name: string): Service =>
    defineService(name, Config, async ({ ready, stopped }) => {
      await new Promise(setImmediate);
      names.push(hostedNow());
      ready();
      await stopped;
    });
  await using one = open(curious("one")).hosted;
  await using other = open(curious("other")).hosted;
  await Promise.all([one.ready, other.ready]);
  expect(new Set(names)).toEqual(new Set(["one", "other"]));
  expect(hostedNow()).toBeNull();
});

test("a service that does not stop within its grace fails with its name", async () => {
  const deaf = defineService("deaf", Config, async ({ ready }) => {
    ready();
    await new Promise(() => {});
  });
  const { hosted } = open(deaf, { SHUTDOWN_GRACE: "50ms" });
  await hosted.ready;
  await expect(hosted[Symbol.asyncDispose]()).rejects.toThrow("deaf did not stop within 50 ms.");
});

test("a service that fails sends its last spans, and leaves no tracing behind", async () => {
  const received = Promise.withResolvers<void>();
  const collector = createServer((request, response) => {
    request.resume().once("end", () => {
      received.resolve();
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  const failing = defineService("failing", Config, async ({ tracing }) => {
    tracing.span("last", { kind: "internal", parent: null }).end();
    throw new PermanentFault("config.invalid", "no");
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  const { hosted } = open(failing, env);
  await expect(hosted.ended).rejects.toThrow("no");
  await received.promise;
  expect(await foundTracing()).toBe(noTracing);
  await new Promise((resolve) => collector.close(resolve).closeAllConnections());
});
