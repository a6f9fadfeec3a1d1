import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "@jest/globals";

const index = new URL("../index.ts", import.meta.url).href;
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface LogLine {
  readonly version?: string;
  readonly level: number;
  readonly msg: string;
  readonly service?: string;
  readonly instance?: string;
}

/** Starts a service whose body is this code. */
function startService(
  body: string,
  env: Readonly<Record<string, string>> = {},
  run = "runService",
) {
  const program = `
    import { TransientFault } from "@holdfast/domain";
    import { BaseConfig, defineService, ${run}, StateStoreUrl } from ${JSON.stringify(index)};
    import { setTimeout as sleep } from "node:timers/promises";
    const forever = () => sleep(3_600_000);
    const properties = { ...BaseConfig.properties, STATE_STORE_URL: StateStoreUrl };
    const schema = { type: "object", properties };
    const run = async ({ log, stopped, signal, health, config }) => {
      ${body}
    };
    await ${run}(defineService("test", schema, run));`;
  const flags = ["--conditions=@holdfast/source", "--input-type=module", "--no-warnings"];
  const child = spawn(process.execPath, [...flags, "--eval", program], {
    // Bare imports are those of this package.
    cwd: new URL(".", import.meta.url),
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const lines: LogLine[] = [];
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const closed = once(child, "close");
  let heard = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line) as LogLine);
    heard.resolve();
    heard = Promise.withResolvers<void>();
  });
  return {
    lines,
    stop: (signal: NodeJS.Signals = "SIGTERM") => child.kill(signal),
    async said(text: string): Promise<void> {
      const isSaid = () => lines.some(({ msg }) => msg === text);
      const ended = closed.then(() => true);
      let hasEnded = false;
      while (!isSaid() && !hasEnded) {
        hasEnded = await Promise.race([heard.promise.then(() => false), ended]);
      }
      expect(lines.map(({ msg }) => msg)).toContain(text);
    },
    async exit() {
      const [code] = (await closed) as [number | null];
      return { code, errors };
    },
  };
}

describe("a service that gets a signal to stop", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("finishes its current work on %s", async (signal) => {
    const service = startService(`
      await using _part = { async [Symbol.asyncDispose]() { await sleep(20); log.info("released"); } };
      log.info("working");
      await stopped;
      log.info("finishing");`);
    await service.said("working");
    service.stop(signal);
    await service.said("released");
    expect(await service.exit()).toEqual({ code: 0, errors: "" });
    expect(service.lines.map(({ msg }) => msg)).toContain("stopping");
  });

  test("ends at once at a second signal", async () => {
    const service = startService(`log.info("working"); await forever();`);
    await service.said("working");
    service.stop();
    await service.said("stopping");
    service.stop();
    expect(await service.exit()).toMatchObject({ code: 1 });
  });

  test("ends when its grace period is over", async () => {
    const service = startService(`log.info("working"); await forever();`, {
      SHUTDOWN_GRACE: "50ms",
    });
    await service.said("working");
    service.stop();
    await service.said("shutdown timed out");
    expect(await service.exit()).toMatchObject({ code: 1 });
    expect(service.lines.at(-1)).toMatchObject({ open: { Timeout: expect.any(Number) } });
  });
});

test("every log line names the service and its instance", async () => {
  const instances = await Promise.all(
    [1, 2].map(async () => {
      const service = startService(`log.info("working"); await stopped;`);
      await service.said("working");
      expect(service.lines.every((line) => line.service === "test")).toBe(true);
      return service.lines.at(-1)?.instance;
    }),
  );
  expect(new Set(instances).size).toBe(2);
});

test.each([
  ["what the body throws", `throw new Error("boom");`],
  ["a rejection that is not handled", `void Promise.reject(new Error("boom")); await forever();`],
  [
    "an exception that is not caught",
    `setImmediate(() => { throw new Error("boom"); }); await forever();`,
  ],
])("a service that fails with %s logs the error and ends", async (_, body) => {
  const service = startService(body);
  await service.said("crashed");
  const crashed = service.lines.find(({ msg }) => msg === "crashed");
  expect(crashed).toMatchObject({ level: 60, err: { message: "boom" } });
  expect(await service.exit()).toMatchObject({ code: 1 });
});

describe("a service whose store is away when it starts", () => {
  const body = `
    globalThis.tries = (globalThis.tries ?? 0) + 1;
    if (globalThis.tries < 3) throw new TransientFault("store.unavailable", "no route");
    log.info("working");
    await stopped;`;

  test("starts as soon as the store answers", async () => {
    const service = startService(body);
    await service.said("working");
    const messages = service.lines.map(({ msg }) => msg);
    expect(messages.filter((msg) => msg === "service failed to start, retrying")).toHaveLength(2);
    service.stop();
    expect(await service.exit()).toEqual({ code: 0, errors: "" });
  });

  test("stops at a signal while it waits", async () => {
    const never = `throw new TransientFault("store.unavailable", "no route");`;
    const service = startService(never);
    await service.said("service failed to start, retrying");
    service.stop();
    expect(await service.exit()).toEqual({ code: 0, errors: "" });
  });

  test("ends at once if it is a one-shot command", async () => {
    const service = startService(body, {}, "runProcess");
    expect(await service.exit()).toMatchObject({ code: 1 });
  });
});

test("a service does not start with a wrong configuration, and says what to do", async () => {
  const service = startService(`await forever();`, { LOG_LEVEL: "loud", HEALTH_PORT: "x" });
  const { code, errors } = await service.exit();
  expect(code).toBe(78);
  expect(errors).toBe(
    "The configuration is wrong:\nLOG_LEVEL must be one of trace, debug, info, warn, error\nHEALTH_PORT must be integer\n",
  );
});

describe("a service with a default password for a server on another machine", () => {
  const known = { STATE_STORE_URL: "postgres://scheduler:development@postgres:5432/holdfast" };

  test("ends with exit code 78, and says which setting to change", async () => {
    const { code, errors } = await startService("await stopped;", known).exit();
    expect(code).toBe(78);
    expect(errors).toContain("STATE_STORE_URL has a published default password");
    expect(errors).not.toContain("development");
  });

  test("starts where that is allowed", async () => {
    const service = startService("await stopped;", { ...known, DEFAULT_SECRETS: "allowed" });
    await service.said("started");
    expect(service.lines[0]).toMatchObject({ msg: "started", version: "0.1.0" });
    service.stop();
    expect(await service.exit()).toMatchObject({ code: 0 });
  });
});
