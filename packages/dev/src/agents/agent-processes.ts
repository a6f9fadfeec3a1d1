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
  /** Agents of its file that do not run, and why. */
  refused: readonly LocatedError[];
  /** Resolves once it consumes, to nothing; else to why it cannot. */
  readonly ready: Promise<readonly LocatedError[]>;
  /** Resolves to what keeps its file from being loaded for now, if something does. */
  readonly waits: Promise<LocatedError>;
  /** Resolves once it takes no more requests. */
  readonly idle: Promise<void>;
}

const main = fileURLToPath(new URL(`./agent-host${extensionOf(import.meta.url)}`, import.meta.url));
const packages = ["@holdfast/agent", "@holdfast/agent-service"];
/** Milliseconds after which an Agent that ended by itself is started again. */
const restartAfter = 1_000;

/** The processes that there are, by the file of their Agents. */
interface Fleet {
  readonly running: Map<string, Running>;
  /** Processes whose file waits for something before it is loaded. */
  readonly waiting: Map<string, PreparedProcess>;
  readonly made: Map<string, readonly string[]>;
  readonly spares: ReturnType<typeof openSpares>;
  readonly options: AgentProcessOptions;
  isStopping: boolean;
}

/** Opens the processes of Agents, with one always prepared for the next start. */
export function openAgentProcesses(options: AgentProcessOptions): AgentProcesses {
  const running = new Map<string, Running>();
  const fleet: Fleet = {
    running,
    waiting: new Map(),
    made: new Map(),
    spares: openSpares(options),
    options,
    isStopping: false,
  };
  return {
    start: (file) => start(fleet, file),
    async stop(file) {
      await endWaiting(fleet, file);
      const gone = running.get(file);
      running.delete(file);
      await gone?.process[Symbol.asyncDispose]();
    },
    files: fleet.made,
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
      await start(fleet, file);
    },
    async [Symbol.asyncDispose]() {
      fleet.isStopping = true;
      fleet.waiting.clear();
      await fleet.spares[Symbol.asyncDispose]();
    },
  };
}

async function start(fleet: Fleet, file: string): Promise<boolean> {
  const { running, waiting, made, spares, options } = fleet;
  const { folder, env, say } = options;
  await endWaiting(fleet, file);
  const process = spares.take();
  const place = relative(folder, file);
  const whole = running.has(file) ? { HOLDFAST_WHOLE: "yes" } : {};
  const all = { place, env: { ...env(), ...whole, AGENT_MODULES: file }, say };
  const begun = beginAgents(process, { ...all, onFiles: (files) => void made.set(file, files) });
  const waits = await Promise.race([begun.ready.then(() => null), begun.waits]);
  if (waits === null) return await take(fleet, file, begun);
  say(`${waits.place}: ${waits.message}.`);
  waiting.set(file, process);
  // Whatever it waits for, the others need not wait for that.
  void takeLater(fleet, file, begun);
  return false;
}

/** Has a process that waits take over once it is ready, unless another one was started since. */
async function takeLater(fleet: Fleet, file: string, begun: Running): Promise<void> {
  const { waiting, options } = fleet;
  await begun.ready;
  if (waiting.get(file) !== begun.process) return;
  waiting.delete(file);
  if (await take(fleet, file, begun)) options.say(`${relative(options.folder, file)} runs now`);
}

/** Ends the process of a file that still waits: it is saved anew, or gone. */
async function endWaiting({ waiting }: Fleet, file: string): Promise<void> {
  const ended = waiting.get(file);
  waiting.delete(file);
  await ended?.[Symbol.asyncDispose]();
}

/** Has a process that is ready take over. Resolves to whether it alone takes requests now. */
async function take(fleet: Fleet, file: string, begun: Running): Promise<boolean> {
  const { running, spares, options } = fleet;
  const { folder, say } = options;
  const errors = await begun.ready;
  const before = running.get(file);
  const kept = before === undefined ? "" : " The last good one goes on.";
  for (const { place, message } of errors) say(`${place}: ${message}${kept}`);
  if (errors.length > 0) return false;
  for (const { place, message } of begun.refused) {
    say(`${place}: ${message}. The other Agents of ${relative(folder, file)} run.`);
  }
  running.set(file, begun);
  void begun.process.exited.finally(() => restart(fleet, file, begun));
  if (before !== undefined) await spares.leave(before);
  return true;
}

/** Starts Agents again that ended by themselves. */
function restart(fleet: Fleet, file: string, ended: Running): void {
  const { running, options } = fleet;
  if (fleet.isStopping || running.get(file) !== ended) return;
  running.delete(file);
  options.say(`${relative(options.folder, file)} ended. It is started again in a second.`);
  const again = () => !fleet.isStopping && !running.has(file) && void start(fleet, file);
  setTimeout(again, restartAfter).unref();
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
  const { promise: ready, resolve } = Promise.withResolvers<readonly LocatedError[]>();
  const { promise: waits, resolve: wait } = Promise.withResolvers<LocatedError>();
  const { promise: idle, resolve: stopped } = Promise.withResolvers<void>();
  const found: Running = { process, operations: new Map(), refused: [], ready, waits, idle };
  let consuming = 0;
  process.onMessage((message) => {
    const said = message as AgentMessage;
    onFiles(said.files);
    if ("waits" in said) return wait(said.waits);
    if ("errors" in said) return resolve(said.errors);
    found.refused = said.refused;
    found.operations = new Map(said.agents.map(({ name, operations }) => [name, operations]));
    consuming = found.operations.size;
  });
  process.onLine((line) => {
    const read = readLogLine(line);
    if (read.kind === "ready") resolve([]);
    if (read.kind === "stopping") {
      consuming -= 1;
      if (consuming <= 0) stopped();
    }
    if (read.kind === "printed" || read.kind === "trouble") say(`${place}: ${read.text}`);
  });
  void process.exited.finally(() => {
    resolve([{ message: "It ended at its start.", place }]);
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
