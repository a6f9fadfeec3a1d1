import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readLogLine } from "../processes/log-line.ts";
import { openSpare } from "../processes/open-spare.ts";
import { extensionOf, type PreparedProcess, prepareProcess } from "../processes/prepare-process.ts";
import type { LocatedError } from "../project/locate-error.ts";
import type { AgentMessage } from "./agent-host.ts";

/** The Agents of one file, as far as they have said. */
interface AgentFile {
  readonly file: string;
  readonly names: readonly string[];
  readonly pid: number;
}

/** The processes of a project's Agents, one for each file. */
export interface AgentProcesses extends AsyncDisposable {
  /**
   * Starts the Agents of a file, or starts them anew. Resolves to whether they alone take requests
   * now.
   */
  start(file: string): Promise<boolean>;
  /** Stops the Agents of a file that is gone. */
  stop(file: string): Promise<void>;
  /** The files that the Agents of each file were made of last, or that it looked for in vain. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** Which operations the Agents have that run. */
  operations(): ReadonlyMap<string, readonly string[]>;
  /**
   * Stops a process of this Agent in the middle of whatever it does; null: no such Agent runs here.
   */
  freeze(agent: string): AgentFile | null;
  /** Kills it with -9, and starts its file again. Resolves once it is dead. */
  kill(agent: string): Promise<void>;
}

interface AgentProcessOptions {
  readonly folder: string;
  readonly cacheFolder: string;
  readonly env: () => Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
  /** Resolves once everything runs. */
  readonly calm: Promise<void>;
}

interface Running {
  readonly process: PreparedProcess;
  /** The operations of its Agents; empty until it has said them. */
  operations: ReadonlyMap<string, readonly string[]>;
  /** Resolves to null once it consumes; else to why it cannot. */
  readonly ready: Promise<LocatedError | null>;
  /** Resolves once it takes no more requests. */
  readonly idle: Promise<void>;
}

const main = fileURLToPath(new URL(`./agent-host${extensionOf(import.meta.url)}`, import.meta.url));
const packages = ["@holdfast/agent", "@holdfast/agent-service"];
/** Milliseconds after which an Agent that ended by itself is started again. */
const restartAfter = 1_000;

/** Opens the processes of Agents, with one always prepared for the next start. */
export function openAgentProcesses(options: AgentProcessOptions): AgentProcesses {
  const { folder, env, say } = options;
  const running = new Map<string, Running>();
  const made = new Map<string, readonly string[]>();
  let isStopping = false;
  const spares = openSpares(options);
  const start = async (file: string): Promise<boolean> => {
    const before = running.get(file);
    const process = spares.take();
    const place = relative(folder, file);
    const all = { place, env: { ...env(), AGENT_MODULES: file }, say };
    const begun = beginAgents(process, { ...all, onFiles: (files) => void made.set(file, files) });
    const error = await begun.ready;
    if (error !== null) {
      const kept = before === undefined ? "" : " The last good one goes on.";
      say(`${error.place}: ${error.message}${kept}`);
      return false;
    }
    running.set(file, begun);
    void process.exited.finally(() => {
      if (isStopping || running.get(file) !== begun) return;
      running.delete(file);
      say(`${place} ended. It is started again in a second.`);
      setTimeout(() => !isStopping && !running.has(file) && void start(file), restartAfter).unref();
    });
    if (before !== undefined) await spares.leave(before);
    return true;
  };

  return {
    start,
    async stop(file) {
      const gone = running.get(file);
      running.delete(file);
      await gone?.process[Symbol.asyncDispose]();
    },
    files: made,
    operations: () => new Map([...running.values()].flatMap(({ operations }) => [...operations])),
    freeze(agent) {
      const found = runningWith(running, agent);
      if (found === undefined) return null;
      const [file, { process, operations }] = found;
      process.signal("SIGSTOP");
      return { file, names: [...operations.keys()], pid: process.pid };
    },
    async kill(agent) {
      const found = runningWith(running, agent);
      if (found === undefined) return;
      const [file, { process }] = found;
      running.delete(file);
      process.signal("SIGKILL");
      await process.exited;
      await start(file);
    },
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await spares[Symbol.asyncDispose]();
    },
  };
}

const runningWith = (
  running: ReadonlyMap<string, Running>,
  agent: string,
): readonly [string, Running] | undefined =>
  [...running].find(([, { operations }]) => operations.has(agent));

interface Begin {
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
  /** Called with the files of which its Agents are made. */
  readonly onFiles: (files: readonly string[]) => void;
}

/** Lets a prepared process become the host of one file, and listens to it. */
function beginAgents(process: PreparedProcess, { place, env, say, onFiles }: Begin): Running {
  const { promise: ready, resolve } = Promise.withResolvers<LocatedError | null>();
  const { promise: idle, resolve: stopped } = Promise.withResolvers<void>();
  const found: Running = { process, operations: new Map(), ready, idle };
  let consuming = 0;
  process.onMessage((message) => {
    const said = message as AgentMessage;
    onFiles(said.files);
    if ("error" in said) return resolve(said.error);
    found.operations = new Map(said.agents.map(({ name, operations }) => [name, operations]));
    consuming = found.operations.size;
  });
  process.onLine((line) => {
    const read = readLogLine(line);
    if (read.kind === "ready") resolve(null);
    if (read.kind === "stopping") {
      consuming -= 1;
      if (consuming <= 0) stopped();
    }
    if (read.kind === "printed" || read.kind === "trouble") say(`${place}: ${read.text}`);
  });
  void process.exited.finally(() => {
    resolve({ message: "It ended at its start.", place });
    stopped();
  });
  process.begin(env);
  return found;
}

/**
 * One process that is ready to begin, and all that were taken and live: also one that is not ready
 * yet, or finishes what it has.
 */
function openSpares({ folder, cacheFolder, calm }: AgentProcessOptions) {
  const shared = { main, packages, folder, cacheFolder };
  const spare = openSpare(() => prepareProcess(shared), calm);
  const taken = new Set<PreparedProcess>();
  return {
    take(): PreparedProcess {
      const process = spare.take();
      taken.add(process);
      void process.exited.finally(() => taken.delete(process));
      return process;
    },
    /**
     * Another one consumes already: this one finishes what it has. Resolves once no new request
     * reaches it.
     */
    async leave({ process, idle }: Running): Promise<void> {
      void process[Symbol.asyncDispose]();
      await idle;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all([spare, ...taken].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
