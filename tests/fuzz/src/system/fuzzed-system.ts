import { userOf } from "@holdfast/messaging";
import {
  jumpingClock,
  keepAllRunning,
  type LogLine,
  type System,
  type SystemBroker,
  startSystem,
} from "@holdfast/processes";
import { baitWorkflow } from "./hostile-agent.ts";

/** What a line of the log says that a process prints about its event loop. */
const loopLine = "event loop watched";

/**
 * Runs in a process before its own code, and prints once a second for how long one turn of its
 * event loop lasted at most: in milliseconds in which its thread had the processor. On a machine
 * with more processes than cores a loop waits for its turn otherwise, and that is no fault of what
 * it was given.
 */
const watchLoop = (line: string) => `
  let longestMs = 0;
  let last = performance.now();
  let used = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(used);
    longestMs = Math.max(longestMs, Math.min(performance.now() - last, (user + system) / 1_000));
    last = performance.now();
    used = process.threadCpuUsage();
  }, 5).unref();
  setInterval(() => {
    console.log(JSON.stringify({ level: 10, time: Date.now(), msg: "${line}", longestMs }));
    longestMs = 0;
  }, 1_000).unref();`;

const importing = (code: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(code)}`;

/**
 * Options of Node by which a process says how its event loop is, and has a wall clock that jumps.
 */
const preloaded = [importing(watchLoop(loopLine)), jumpingClock].join(" ");

/** A process that ended although the run had not stopped it. */
interface Crash {
  readonly at: number;
  readonly service: string;
  readonly pid: number;
  readonly code: number | null;
  /** The last lines of its log. */
  readonly said: readonly string[];
}

export interface FuzzedSystem extends AsyncDisposable {
  readonly system: System;
  readonly crashes: readonly Crash[];
  /** How often each line at the level of warnings and errors was logged. */
  readonly logged: ReadonlyMap<string, number>;
  /** Tasks of which an Agent logged that the reply to an attempt was refused. */
  readonly refused: ReadonlySet<string>;
  /**
   * The longest time in milliseconds for which the event loop of each service stood still since the
   * first hostile input.
   */
  readonly longestLoops: ReadonlyMap<string, number>;
  /** Forgets how long event loops stood still so far: services compile at their start. */
  readonly inputsBegin: () => void;
}

interface Options {
  readonly stateStoreUrl: string;
  /** The URL of the broker's administrator. */
  readonly brokerUrl: string;
  readonly importDefinitions: SystemBroker["importDefinitions"];
  readonly dataFolder: string;
  readonly onLog?: (line: LogLine, service: string) => void;
}

/** The Agents are started apart: their settings name a user that is only known then. */
const count = { submission: 1, operations: 1, scheduler: 2, agent: 0, supervisor: 1 } as const;

/** The memory that the containers have: 512 MiB, of which not all is heap. */
const memory = { NODE_OPTIONS: `--max-old-space-size=384 ${preloaded}` };
const env = {
  submission: memory,
  operations: memory,
  scheduler: memory,
  supervisor: { ...memory, RECOVERY_DELAY: "200ms" },
  agent: memory,
};

const lastLines = 10;
/** Milliseconds. */
const restBeforeStart = 500;
const warning = 40;

/**
 * Starts the system with as much memory as its containers have; what ends by itself is started
 * again.
 */
export async function startFuzzedSystem(options: Options): Promise<FuzzedSystem> {
  const { stateStoreUrl, brokerUrl, importDefinitions, dataFolder, onLog } = options;
  await using stack = new AsyncDisposableStack();
  const crashes: Crash[] = [];
  const logged = new Map<string, number>();
  const said = new Map<number, string[]>();
  const longestLoops = new Map<string, number>();
  const refused = new Set<string>();
  const system = stack.use(
    await startSystem({
      stateStoreUrl,
      broker: { url: brokerUrl, importDefinitions },
      dataFolder,
      workflows: [baitWorkflow],
      count,
      env,
      onLog: (line, service, pid) => {
        if (line.msg === loopLine) {
          const ms = Math.round(Number(line["longestMs"]));
          return void longestLoops.set(service, Math.max(ms, longestLoops.get(service) ?? 0));
        }
        onLog?.(line, service);
        if (line.msg === "reply refused") refused.add(String(line["taskId"]));
        const lines = said.get(pid) ?? [];
        said.set(pid, [...lines.slice(1 - lastLines), JSON.stringify(line).slice(0, 2_000)]);
        if (line.level < warning) return;
        const key = `${service}: ${line.msg}`;
        logged.set(key, (logged.get(key) ?? 0) + 1);
      },
    }),
  );
  // Hostile requests of the administrator shall come further than to the check of who sent them.
  const schedulers = {
    SCHEDULER_USERS: `${system.broker.userOf("scheduler")},${userOf(brokerUrl)}`,
  };
  await system.start("agent", schedulers);

  const stopping = new AbortController();
  void keepAllRunning({
    system,
    env: { agent: schedulers },
    restBeforeStart,
    signal: stopping.signal,
    onEnd: ({ name: service, pid }, code) =>
      crashes.push({ at: Date.now(), service, pid, code, said: said.get(pid) ?? [] }),
  });
  stack.defer(() => stopping.abort());
  const owned = stack.move();
  return {
    system,
    crashes,
    logged,
    refused,
    longestLoops,
    inputsBegin: () => longestLoops.clear(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
