import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { limits, submissionExchange, submissionQueue } from "@holdfast/contracts";
import { newTask } from "@holdfast/load";
import { operatorToken, startService } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { agentNames, inputs, late, undone, wide } from "./bulky-agents.ts";
import { type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { type AnyMessage, publishAll } from "./publish.ts";

/**
 * Milliseconds: a hundred megabytes of values are read and written several times, on a machine that
 * may have much else to do.
 */
const longest = 900_000;
const mebibyte = 1024 * 1024;
/** What docker-compose.yml and the charts allow a process of Holdfast. */
const limit = 512 * mebibyte;

/**
 * Clients of three addresses have three quarters of what a guard gives to all: the others have the
 * rest.
 */
const readers = [1, 2, 3].map((host) => `127.0.0.${host}`);
const submitters = [4, 5, 6].map((host) => `127.0.0.${host}`);

const orders = { undone: 18, byMessage: 12, late: 200, wide: 2 } as const;

test(
  "each process keeps below four fifths of its memory, with everything at its largest at once",
  async () => {
    await using stack = new AsyncDisposableStack();
    const { faulty, brokerUrl, urls, processes } = await startBulky(stack);
    const isOver = Promise.race(
      processes.map(async ({ name, exited }) => {
        throw new Error(`${name} has ended with ${await exited}`);
      }),
    );
    isOver.catch(() => {});
    const orEnd = <T>(work: Promise<T>): Promise<T> => Promise.race([isOver, work]);

    const widest = await submitAll(faulty, wide.name, orders.wide);
    await submitAll(faulty, late.name, orders.late);
    await orEnd(untilEnded(faulty, widest));
    await lengthenHistory(faulty, widest[0] ?? "");

    const clients = stack.use(openClients());
    for (const path of [...widest.flatMap(pathsOf), "/v1/events", "/v1/tasks?limit=500"]) {
      for (const url of urls) for (const address of readers) clients.ask(url + path, address);
    }
    const { submissionUrl } = faulty.system;
    const posts = Array.from({ length: orders.undone }, (_, index) => post(submissionUrl, index));
    await publishAll(faulty, Array.from({ length: orders.byMessage }, messageOf), brokerUrl);
    expect(new Set(await orEnd(Promise.all(posts)))).toEqual(new Set([202]));
    await orEnd(untilEnded(faulty));

    const ended = await faulty.query(
      "select workflow, process_state as state, count(*)::int from state.tasks group by 1, 2 order by 1",
    );
    const { undone: posted, byMessage, late: waiting, wide: whole } = orders;
    expect(ended).toEqual([
      { workflow: late.name, state: "undone", count: waiting },
      { workflow: undone.name, state: "undone", count: posted + byMessage },
      { workflow: wide.name, state: "processed", count: whole },
    ]);
    const peaks = await Promise.all(
      processes.map(async ({ name, pid }) => [name, await peakMemory(pid)] as const),
    );
    process.stderr.write(`peaks in MiB: ${JSON.stringify(peaks)}\n`);
    expect(peaks.filter(([, peak]) => peak > (0.8 * limit) / mebibyte)).toEqual([]);
    expect(processes.filter(({ isRunning }) => !isRunning)).toEqual([]);
  },
  longest,
);

/**
 * All services and the console, each a process of its own with the heap that it has in its
 * container.
 */
async function startBulky(stack: AsyncDisposableStack) {
  const heap = { NODE_OPTIONS: `--max-old-space-size=${await shippedHeap()}` };
  const { url: stateStoreUrl } = stack.use(await migratedDatabase());
  const { url: brokerUrl } = stack.use(await testBroker());
  const agent = { AGENT_MODULES: "./tests/faults/bulky-agents.ts", AGENT_NAMES: agentNames.join() };
  const faulty = stack.use(
    await startFaultySystem({
      // Agents of other names than those for which users are shipped.
      servers: { stateStoreUrl, broker: { url: brokerUrl, importDefinitions: null } },
      count: { partners: 0 },
      apart: ["submission", "operations", "scheduler", "supervisor", "agent"],
      env: {
        submission: heap,
        operations: { ...heap, TRUSTED_PROXIES: "loopback" },
        scheduler: heap,
        supervisor: heap,
        agent: { ...heap, ...agent },
      },
    }),
  );
  const operationsUrl = await faulty.operationsUrl();
  const served = { API_URL: operationsUrl, HTTP_HOST: "127.0.0.1", HTTP_PORT: "0" };
  const console = stack.use(
    await startService({ service: "console", env: { ...heap, ...served } }),
  );
  for (const workflow of [undone, wide, late]) await faulty.store.registerWorkflow(workflow);
  return {
    faulty,
    brokerUrl,
    urls: [faulty.system.submissionUrl, operationsUrl, String(console.ready["url"])],
    processes: [...faulty.system.processes, console],
  };
}

const pathsOf = (id: string): readonly string[] =>
  ["", "/history", "/result", "/events", "/attempts"].map((path) => `/v1/tasks/${id}${path}`);

const messageOf = (_: unknown, index: number): AnyMessage => ({
  exchange: submissionExchange,
  routingKey: submissionQueue,
  messageId: `bulky-${index}`,
  headers: { workflow: undone.name },
  body: inputs[index % inputs.length] ?? "",
});

/** MiB of heap that Node has in the container. */
async function shippedHeap(): Promise<number> {
  const dockerfile = await readFile("infra/docker/Dockerfile", "utf8");
  const [, percent = ""] = /--max-old-space-size-percentage=(\d+)/.exec(dockerfile) ?? [];
  return Math.floor((limit * Number(percent)) / 100 / mebibyte);
}

async function submitAll(
  { store }: FaultySystem,
  workflow: string,
  count: number,
): Promise<readonly string[]> {
  const labels = Object.fromEntries(
    Array.from({ length: 16 }, (_, index) => [`label-${index}`, "ü".repeat(limits.name)]),
  );
  const tasks = Array.from({ length: count }, () => ({
    ...newTask({ workflow, input: null }),
    labels,
  }));
  const submitted = await store.submitTasks(tasks, { actor: "test" });
  return submitted.flatMap((one) => (one.kind === "created" ? [one.taskId] : []));
}

/** Resolves when these tasks have ended, or all. */
async function untilEnded(faulty: FaultySystem, ids?: readonly string[]): Promise<void> {
  const these = ids === undefined ? "true" : `task_id in (${ids.map((id) => `'${id}'`).join()})`;
  const open = `select 1 from state.tasks where finished_at is null and ${these} limit 1`;
  await until(async () => (await faulty.query(open)).length === 0, 500);
}

/** Makes the history of a step as long as if it had been requeued for months. */
async function lengthenHistory(faulty: FaultySystem, id: string): Promise<void> {
  await faulty.query(
    `insert into state.events (task_id, step, action, from_state, to_state, attempt, actor, reason, note)
     select '${id}', 'unfold-0', 'requeue', 'processing', 'pending', 1, 'ann', 'test', repeat('x', 200)
       from generate_series(1, 50000)`,
  );
}

/** Resolves to the answer's status, once it is no 503. */
async function post(url: string, index: number): Promise<number> {
  const localAddress = submitters[index % submitters.length] ?? "";
  const body = `{"workflow":"${undone.name}","input":${inputs[index % inputs.length]}}`;
  for (;;) {
    const status = await postOnce(`${url}/v1/tasks`, { localAddress, body });
    if (status !== 503) return status;
    // As its Retry-After says.
    await sleep(1_000);
  }
}

const postOnce = (url: string, { localAddress, body }: { localAddress: string; body: string }) =>
  new Promise<number>((resolve) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const asked = request(
      url,
      { method: "POST", localAddress, headers, agent: new Agent() },
      (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    asked.on("error", () => resolve(503));
    asked.end(body);
  });

/** Clients that ask again and again. Every other one reads nothing. */
function openClients() {
  const sockets = new Set<Socket>();
  let [isOver, asked] = [false, 0];
  const ask = (url: string, localAddress: string): void => {
    const { hostname, port, pathname, search } = new URL(url);
    const client = connect({ host: hostname, port: Number(port), localAddress });
    sockets.add(client);
    client.on("error", () => {});
    client.once("close", () => {
      sockets.delete(client);
      if (!isOver) setTimeout(() => !isOver && ask(url, localAddress), 200);
    });
    client.write(
      `GET ${pathname}${search} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${operatorToken}\r\nconnection: close\r\n\r\n`,
    );
    asked += 1;
    if (asked % 2 === 0) client.resume();
    else client.pause();
  };
  return {
    ask,
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The most memory that a process ever had, in MiB; 0 on other systems than Linux. */
async function peakMemory(pid: number): Promise<number> {
  if (process.platform !== "linux") return 0;
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
