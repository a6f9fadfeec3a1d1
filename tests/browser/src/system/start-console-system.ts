import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newTask } from "@holdfast/load";
import { freePort, queryOnce } from "@holdfast/local-stack";
import { type SampleKind, sampleOrder } from "@holdfast/orders";
import { asRole, openStore, type ServiceName, type System, startSystem } from "@holdfast/processes";
import { digestOfKey, makeKey } from "@holdfast/runtime";
import type { NewTask, StateStore } from "@holdfast/state-store";
import { type Link, migratedDatabase, openLink, testBroker } from "@holdfast/test-servers";
import { echoing } from "./echo-agent.ts";
import { cooling, halting, patient, quick } from "./workflows.ts";

const agentModules = [
  "./examples/orders/handlers/src/index.ts",
  "./tests/browser/src/system/echo-agent.ts",
];

/** The whole system with the console, and what tests do to it. */
export interface ConsoleSystem extends AsyncDisposable {
  readonly system: System;
  readonly store: StateStore;
  /**
   * The origin of the service that serves the console: it stays the same when the service is
   * started again.
   */
  readonly origin: string;
  /** The way of that service to the state store. */
  readonly storeLink: Link;
  readonly query: <Row extends object>(sql: string) => Promise<readonly Row[]>;
  /** Submits tasks. Resolves to their ids. */
  readonly submit: (
    workflow: string,
    inputs: readonly NewTask["input"][],
    more?: Partial<NewTask>,
  ) => Promise<readonly string[]>;
  /** Submits one order. Resolves to its id. */
  order(workflow: string, kind?: SampleKind, seed?: number): Promise<string>;
  /** Resolves when the task is in this state. */
  reaches(id: string, state: string): Promise<void>;
  /** The keys of people of the treasury, by their names. */
  readonly keys: Readonly<Record<Approver, string>>;
  /** Kills a service with SIGKILL, and starts it again. */
  killAndRestart(name: ServiceName): Promise<void>;
}

const approvers = ["ada", "grace", "linus"] as const;
/** Who decides for the treasury. */
export type Approver = (typeof approvers)[number];

/** Makes a key for each of them, and a file in the folder that says whose they are. */
async function writeAccessFile(folder: string) {
  const accessFile = join(folder, "access.json");
  const keys = Object.fromEntries(approvers.map((name) => [name, makeKey()]));
  const principals = approvers.map((name) => ({
    id: `${name}@example.com`,
    name: `${name[0]?.toUpperCase()}${name.slice(1)}`,
    keys: [digestOfKey(keys[name] ?? "")],
    approves: ["treasury"],
  }));
  await writeFile(accessFile, JSON.stringify({ principals }));
  return { accessFile, keys: keys as ConsoleSystem["keys"] };
}

export async function startConsoleSystem(): Promise<ConsoleSystem> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-browser-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const { accessFile, keys } = await writeAccessFile(folder);
  const { url } = stack.use(await migratedDatabase());
  const broker = stack.use(await testBroker());
  const storeLink = stack.use(await openLink(url));
  const port = await freePort(27_000 + Math.floor(Math.random() * 2_000));
  const system = stack.use(
    await startSystem({
      stateStoreUrl: url,
      storeUrlOf: (role) => asRole(role === "holdfast_operations" ? storeLink.url : url, role),
      broker: { ...broker, moreAgents: ["echo"] },
      dataFolder: folder,
      ports: { operations: port },
      count: { operations: 1 },
      workflows: [patient, halting, quick, cooling, echoing],
      env: {
        operations: { CONSOLE: "on", ACCESS_FILE: accessFile },
        submission: { CORS_ORIGINS: "http://localhost:*" },
        agent: { AGENT_MODULES: agentModules.join(",") },
        scheduler: { POLL_INTERVAL: "200ms" },
        supervisor: { RECOVERY_DELAY: "200ms", SCAN_INTERVAL: "200ms" },
      },
    }),
  );
  const store = stack.use(await openStore({ url, applicationName: "test", maxConnections: 2 }));
  const submit: ConsoleSystem["submit"] = async (workflow, inputs, more = {}) => {
    const tasks = inputs.map((input) => ({ ...newTask({ workflow, input }), ...more }));
    const submitted = await store.submitTasks(tasks, { actor: "test" });
    return submitted.flatMap((one) => (one.kind === "created" ? [one.taskId] : []));
  };
  const query: ConsoleSystem["query"] = (sql) => queryOnce(url, sql);
  const owned = stack.move();
  return {
    system,
    store,
    origin: `http://127.0.0.1:${port}`,
    storeLink,
    keys,
    query,
    submit,
    async order(workflow, kind = "good", seed = 0) {
      const [id = ""] = await submit(workflow, [sampleOrder({ kind, seed })]);
      return id;
    },
    reaches: (id, state) =>
      until(async () => {
        const sql = `select process_state as state from state.tasks where task_id = '${id}'`;
        const [task] = await query<{ readonly state: string }>(sql);
        return task?.state === state;
      }),
    killAndRestart: (name) => killAndRestart(system, name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function killAndRestart(system: System, name: ServiceName): Promise<void> {
  const before = system.running(name);
  for (const one of before) one.signal("SIGKILL");
  await Promise.all(before.map((one) => one.exited));
  await system.start(name);
}

/** Asks again and again until the answer is yes. The test's own limit ends it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}
