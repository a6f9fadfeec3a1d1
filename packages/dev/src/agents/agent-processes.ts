import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readLogLine } from "../processes/log-line.ts";
import { extensionOf, type PreparedProcess, prepareProcess } from "../processes/prepare-process.ts";
import type { LocatedError } from "../project/locate-error.ts";
import type { AgentMessage } from "./agent-host.ts";

/** The Agents of one file, as far as they have said. */
export interface AgentFile {
  readonly file: string;
  readonly names: readonly string[];
  readonly pid: number;
}

/** The processes of a project's Agents, one for each file. */
export interface AgentProcesses extends AsyncDisposable {
  /** Starts the Agents of a file, or starts them anew. Resolves to whether they consume now. */
  start(file: string): Promise<boolean>;
  /** Stops the Agents of a file that is gone. */
  stop(file: string): Promise<void>;
  /** Which operations the Agents have that run. */
  operations(): ReadonlyMap<string, readonly string[]>;
  /** Stops a process of this Agent in the middle of whatever it does; null: no such Agent runs here. */
  freeze(agent: string): AgentFile | null;
  /** Kills it with -9, and starts its file again. Resolves once it is dead. */
  kill(agent: string): Promise<void>;
}

interface Options {
  readonly folder: string;
  readonly cacheFolder: string;
  readonly env: () => Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
}

interface Running {
  readonly process: PreparedProcess;
  operations: ReadonlyMap<string, readonly string[]>;
}

const main = fileURLToPath(new URL(`./agent-host${extensionOf(import.meta.url)}`, import.meta.url));
/** Milliseconds after which an Agent that ended by itself is started again. */
const restartAfter = 1_000;

/** Opens the processes of Agents, with one always prepared for the next start. */
export function openAgentProcesses(options: Options): AgentProcesses {
  const { folder, cacheFolder, env, say } = options;
  const running = new Map<string, Running>();
  /** Those that finish what they have, because another one has taken over. */
  const leaving = new Set<PreparedProcess>();
  let isStopping = false;
  const packages = ["@holdfast/agent", "@holdfast/agent-service"];
  const prepare = (): PreparedProcess => prepareProcess({ main, packages, folder, cacheFolder });
  let next = prepare();

  const leave = (process: PreparedProcess): void => {
    leaving.add(process);
    void process.exited.then(() => leaving.delete(process));
    void process[Symbol.asyncDispose]();
  };

  const start = async (file: string): Promise<boolean> => {
    const before = running.get(file);
    const process = next;
    next = prepare();
    const place = relative(folder, file);
    const { promise, resolve } = Promise.withResolvers<LocatedError | null>();
    const found: Running = { process, operations: new Map() };
    process.onMessage((message) => {
      const said = message as AgentMessage;
      if ("error" in said) return resolve(said.error);
      found.operations = new Map(said.agents.map(({ name, operations }) => [name, operations]));
    });
    process.onLine((line) => {
      const read = readLogLine(line);
      if (read.kind === "ready") resolve(null);
      if (read.kind === "printed" || read.kind === "trouble") say(`${place}: ${read.text}`);
    });
    void process.exited.then(() => {
      resolve({ message: "It ended at its start.", place });
      if (isStopping || running.get(file) !== found) return;
      running.delete(file);
      say(`${place} ended. It is started again in a second.`);
      setTimeout(() => !isStopping && !running.has(file) && void start(file), restartAfter).unref();
    });
    process.begin({ ...env(), AGENT_MODULES: file });
    const error = await promise;
    if (error !== null) {
      const kept = before === undefined ? "" : " The last good one goes on.";
      say(`${error.place}: ${error.message}${kept}`);
      return false;
    }
    running.set(file, found);
    // The new one consumes already: the old one finishes what it has.
    if (before !== undefined) leave(before.process);
    return true;
  };

  const runningWith = (agent: string): [string, Running] | undefined =>
    [...running].find(([, { operations }]) => operations.has(agent));

  return {
    start,
    async stop(file) {
      const gone = running.get(file);
      running.delete(file);
      await gone?.process[Symbol.asyncDispose]();
    },
    operations: () => new Map([...running.values()].flatMap(({ operations }) => [...operations])),
    freeze(agent) {
      const found = runningWith(agent);
      if (found === undefined) return null;
      const [file, { process, operations }] = found;
      process.signal("SIGSTOP");
      return { file, names: [...operations.keys()], pid: process.pid };
    },
    async kill(agent) {
      const found = runningWith(agent);
      if (found === undefined) return;
      const [file, { process }] = found;
      running.delete(file);
      process.signal("SIGKILL");
      await process.exited;
      await start(file);
    },
    async [Symbol.asyncDispose]() {
      isStopping = true;
      const all = [next, ...leaving, ...[...running.values()].map((one) => one.process)];
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
