import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { holdfastCommand, type TestBroker, testBroker, testDatabase } from "@holdfast/test-servers";

/** A project for tests that `holdfast dev` runs, on the servers of the test run. */
export interface Dev extends AsyncDisposable {
  readonly folder: string;
  readonly pid: number;
  /** All that it has printed. */
  readonly text: string;
  readonly api: string;
  /** Writes a file of the project. */
  save(file: string, content: string): void;
  remove(file: string): void;
  press(key: string): void;
  /** Resolves once something matches that was printed since `forget`. */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  forget(): void;
  /** `further`: what else the body of the request has. */
  submit(workflow: string, input: unknown, further?: object): Promise<string>;
  /** Resolves to the task once it has ended. */
  ended(id: string): Promise<SeenTask>;
  /** Resolves to the task once it is as wanted. */
  until(id: string, isMet: (task: SeenTask) => boolean): Promise<SeenTask>;
  /** Runs another command of `holdfast` on the servers of this one. */
  holdfast(...args: readonly string[]): Promise<EndedDev>;
  /** Runs a further one in the same folder, and resolves once that has ended. */
  again(env?: Files): Promise<EndedDev>;
  /** Resolves to the exit code. */
  readonly exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

interface EndedDev {
  readonly code: number | null;
  readonly text: string;
}

interface SeenTask {
  readonly state: string;
  readonly workflow: string;
  readonly result: unknown;
  readonly steps: readonly {
    readonly processState: string;
    readonly attempt: number;
    readonly failureCount: number;
  }[];
}

export type Files = Readonly<Record<string, string>>;

const folders = fileURLToPath(new URL("./projects/", import.meta.url));
const timeout = 60_000;

interface DevTestOptions {
  /** A word by which its processes are known. */
  readonly marker?: string;
  /** It starts a Postgres of its own, as for a person who sets no URL. */
  readonly ownPostgres?: boolean;
  /** What a person has set in the terminal. */
  readonly env?: Files;
  /** What a person has typed after `holdfast dev`. */
  readonly args?: readonly string[];
}

/**
 * Writes a project below this folder, where the packages of the repository are found, and runs it.
 */
export async function openDev(
  files: Files,
  { marker = "", ownPostgres = false, env: set = {}, args = [] }: DevTestOptions = {},
): Promise<Dev> {
  await using stack = new AsyncDisposableStack();
  const store: Files = ownPostgres ? {} : { STATE_STORE_URL: stack.use(await testDatabase()).url };
  const broker: TestBroker = stack.use(await testBroker());
  mkdirSync(folders, { recursive: true });
  const folder = mkdtempSync(join(folders, "dev-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const save = (file: string, content: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  for (const [file, content] of Object.entries(files)) save(file, content);
  const servers = { ...store, BROKER_URL: broker.url };
  const places = { ...servers, ...set, HOLDFAST_DEV_TEST: marker };
  const child = spawnDev(folder, places, ["dev", ...args]);
  const exited = once(child, "exit").then(([code]) => code as number | null);
  stack.defer(() => stop(child, exited));
  const owned = stack.move();
  return Object.assign(watchOutput(child), {
    folder,
    pid: child.pid ?? 0,
    save,
    exited,
    again: (env: Files = {}) => runToEnd(spawnDev(folder, { ...servers, ...env })),
    holdfast: (...typed: readonly string[]) => runToEnd(spawnDev(folder, placesIn(folder), typed)),
    ...acts(child, owned, folder),
  });
}

const spawnDev = (folder: string, env: Files, args: readonly string[] = ["dev"]): ChildProcess =>
  spawn(process.execPath, [...holdfastCommand, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });

/** The addresses of the servers, as `holdfast dev` wrote them down. */
function placesIn(folder: string): Files {
  const places = readFileSync(join(folder, ".holdfast/dev/places.json"), "utf8");
  const { stateStoreUrl = "", brokerUrl = "" } = JSON.parse(places) as Files;
  return { STATE_STORE_URL: stateStoreUrl, BROKER_URL: brokerUrl };
}

async function runToEnd(child: ChildProcess): Promise<EndedDev> {
  const watched = watchOutput(child);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text: watched.text };
}

function acts(child: ChildProcess, owned: AsyncDisposableStack, folder: string) {
  return {
    remove: (file: string): void => rmSync(join(folder, file)),
    press: (key: string): void => void child.stdin?.write(key),
    kill: (signal: NodeJS.Signals): void => void child.kill(signal),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await exited;
}

function watchOutput(child: ChildProcess) {
  let [text, from] = ["", 0];
  const add = (part: string): void => {
    text += part;
  };
  child.stdout?.setEncoding("utf8").on("data", add);
  child.stderr?.setEncoding("utf8").on("data", add);
  const until = async (id: string, isMet: (task: SeenTask) => boolean): Promise<SeenTask> => {
    const end = performance.now() + timeout;
    for (;;) {
      const task = (await (await fetch(`${api()}/v1/tasks/${id}`)).json()) as SeenTask;
      if (isMet(task)) return task;
      if (performance.now() > end) throw new Error(`Not as wanted: ${JSON.stringify(task)}`);
      await sleep(20);
    }
  };
  const api = (): string => /API +(\S+)/.exec(text)?.[1] ?? "";
  return {
    get text() {
      return text;
    },
    get api() {
      return api();
    },
    forget() {
      from = text.length;
    },
    async seen(pattern: RegExp): Promise<RegExpExecArray> {
      const end = performance.now() + timeout;
      for (;;) {
        const found = pattern.exec(text.slice(from));
        if (found !== null) return found;
        if (performance.now() > end) throw new Error(`Never printed ${pattern}:\n${text}`);
        await sleep(10);
      }
    },
    async submit(workflow: string, input: unknown, further: object = {}): Promise<string> {
      const body = JSON.stringify({ workflow, input, ...further });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${api()}/v1/tasks`, { method: "POST", headers, body });
      if (response.status !== 202) throw new Error(await response.text());
      return ((await response.json()) as { readonly id: string }).id;
    },
    until,
    ended: (id: string) =>
      until(id, ({ state }) => ["processed", "undone", "halted"].includes(state)),
  };
}
