import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";

const index = new URL("../index.ts", import.meta.url).href;
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly service: string;
  readonly n?: number;
  readonly dropped?: number;
}

/** Starts a service with this body whose output nothing reads, until `read` is called. */
async function startUnread(body: string) {
  const port = await freePort();
  const program = `
    import { BaseConfig, defineService, runService } from ${JSON.stringify(index)};
    const run = async ({ log, stopped }) => {
      ${body}
    };
    await runService(defineService("test", BaseConfig, run));`;
  const flags = ["--conditions=@holdfast/source", "--input-type=module", "--no-warnings"];
  const child = spawn(process.execPath, [...flags, "--eval", program], {
    cwd: new URL(".", import.meta.url),
    env: { PATH: process.env["PATH"], HEALTH_PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const exited = once(child, "exit");
  return {
    child,
    exited,
    async get(path: string): Promise<string> {
      const signal = AbortSignal.timeout(1_000);
      return await (await fetch(`http://127.0.0.1:${port}${path}`, { signal })).text();
    },
    read: (): AsyncIterable<string> => createInterface({ input: child.stdout }),
  };
}

const valueOf = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "m").exec(metrics)?.[1] ?? Number.NaN);

const flood = `
  let n = 0;
  const writing = setInterval(() => {
    for (let line = 0; line < 100; line += 1) log.info({ n: n++, pad: "x".repeat(200) }, "flood");
  }, 5);
  await stopped;
  clearInterval(writing);`;

/** Waits until a service answers as wanted. */
async function until(isMet: () => Promise<boolean>): Promise<void> {
  while (!(await isMet().catch(() => false))) await sleep(20);
}

test("a service whose output nothing reads goes on with its work in bounded memory, and says afterwards how many lines it dropped", async () => {
  const service = await startUnread(flood);
  const dropped = async () =>
    valueOf(await service.get("/metrics"), "holdfast_log_lines_dropped_total");
  await until(async () => (await dropped()) > 5_000);
  // Each answer has a second.
  expect(await service.get("/health/live")).toContain("ready");
  const before = valueOf(await service.get("/metrics"), "process_memory_usage_bytes");
  await until(async () => (await dropped()) > 60_000);
  const after = valueOf(await service.get("/metrics"), "process_memory_usage_bytes");
  // What was dropped meanwhile has more than 15 MB.
  expect(after - before).toBeLessThan(60_000_000);

  const lines: Line[] = [];
  let said = 0;
  for await (const text of service.read()) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (line.msg === "log lines dropped") {
      expect(line).toMatchObject({ level: 40, service: "test" });
      said += line.dropped ?? 0;
      service.child.kill("SIGTERM");
    }
  }
  expect(await service.exited).toEqual([0, null]);
  expect(said).toBeGreaterThan(60_000);
  const numbers = lines.flatMap(({ n }) => n ?? []);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  expect(numbers.length + said).toBe((numbers.at(-1) ?? 0) + 1);
  expect(lines.map(({ msg }) => msg)).toContain("stopped");
}, 120_000);

test("a service whose output nothing reads ends soon when it is asked to, and when it crashes", async () => {
  const stopped = await startUnread(flood);
  await until(async () => (await stopped.get("/health/live")) !== "");
  await until(
    async () => valueOf(await stopped.get("/metrics"), "holdfast_log_lines_dropped_total") > 0,
  );
  const from = performance.now();
  stopped.child.kill("SIGTERM");
  expect(await stopped.exited).toEqual([0, null]);
  expect(performance.now() - from).toBeLessThan(5_000);

  const crashed = await startUnread(`
    for (let n = 0; n < 20_000; n += 1) log.info({ n, pad: "x".repeat(200) }, "flood");
    throw new Error("boom");`);
  expect(await crashed.exited).toEqual([1, null]);
}, 120_000);

test("the last lines of a service that crashes while its reader is slow are all there", async () => {
  const service = await startUnread(`
    for (let n = 0; n < 2_000; n += 1) log.info({ n, pad: "x".repeat(200) }, "burst");
    throw new Error("boom");`);
  const lines: Line[] = [];
  for await (const text of service.read()) {
    lines.push(JSON.parse(text) as Line);
  }
  expect(await service.exited).toEqual([1, null]);
  expect(lines.filter(({ msg }) => msg === "burst")).toHaveLength(2_000);
  expect(lines.at(-1)?.msg).toBe("crashed");
}, 60_000);
