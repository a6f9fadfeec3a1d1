import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  createDatabase,
  holdfastFolder,
  type LocalStack,
  startLocalStack,
} from "@holdfast/local-stack";
import { commandLine } from "@holdfast/runtime";
import type { LogLine } from "./start-service.ts";

/** A program that runs the whole system, and judges what became of it. */
interface Tool<Options extends { readonly json: boolean }> {
  /** Reads the command line. Throws with what is wrong. */
  readonly readOptions: (args: readonly string[]) => Options;
  readonly usage: string;
  /** Resolves to whether all was well. */
  readonly run: (options: Options, say: (line: string) => void) => Promise<boolean>;
}

/** Milliseconds. What has not stopped by then, frozen or not, is killed with this process. */
const stopWithin = 20_000;

/**
 * Runs a tool as the whole of this process, which exits with 0 if all was well, with 1 if not, and
 * with 2 if that could not be found out. With `--json`, what it says goes to the standard error:
 * the standard output has the result alone.
 */
export async function runTool<Options extends { readonly json: boolean }>({
  readOptions,
  usage,
  run,
}: Tool<Options>): Promise<void> {
  // Each Ctrl-C ends it at once: what was started is taken along by its guards.
  process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
  const options = commandLine(readOptions, usage);
  const say = (line: string): void =>
    void (options.json ? process.stderr : process.stdout).write(`${line}\n`);
  try {
    process.exitCode = (await run(options, say)) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 2;
  } finally {
    setTimeout(() => process.exit(), stopWithin).unref();
  }
}

/** The folder of a run: what its servers need, and what people read afterwards. */
export interface RunFolder extends AsyncDisposable {
  readonly path: string;
  /** The data of the servers: removed when the folder is disposed. */
  readonly servers: string;
  /** Adds a line of a process to `services.log`. */
  readonly onLog: (line: LogLine, process: string) => void;
}

/** Makes the folder of one run of a tool. */
export async function openRunFolder(tool: string, seed: number): Promise<RunFolder> {
  const path = join(holdfastFolder(), tool, `${seed}-${process.pid}`);
  const servers = join(path, "servers");
  await mkdir(path, { recursive: true });
  const log = createWriteStream(join(path, "services.log"));
  return {
    path,
    servers,
    onLog: (line, name) => log.write(`${JSON.stringify({ process: name, ...line })}\n`),
    async [Symbol.asyncDispose]() {
      log.end();
      await rm(servers, { recursive: true, force: true });
    },
  };
}

interface RunServers extends AsyncDisposable {
  readonly stateStoreUrl: string;
  readonly broker: LocalStack["broker"];
}

/**
 * Starts a Postgres, with an empty database for the state store, and a RabbitMQ in the folder of a
 * run.
 */
export async function startRunServers(
  { servers }: RunFolder,
  log: (line: string) => void,
): Promise<RunServers> {
  await using stack = new AsyncDisposableStack();
  const { postgres, broker } = stack.use(
    await startLocalStack({ purpose: "demo", dataFolder: servers, fresh: true, log }),
  );
  const { url: stateStoreUrl } = await createDatabase(postgres.url, { name: "holdfast" });
  const owned = stack.move();
  return { stateStoreUrl, broker, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** What a tool ended with. */
interface Ended {
  /** The last line of its standard output, which is JSON. */
  readonly result: object;
  /** What it said to people. */
  readonly said: string;
}

/**
 * Runs the main file of a tool as a person would, from a test: with `--json`, and with servers of
 * its own, since those of the test run are not for it to break.
 */
export async function runMain(
  main: string,
  options: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { TEST_STATE_STORE_URL: _store, TEST_BROKER_URL: _broker, ...env } = process.env;
  const args = ["--conditions=@holdfast/source", main, ...options, "--json"];
  const child = spawn(process.execPath, args, {
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, said] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { result: JSON.parse(printed.trim().split("\n").at(-1) || "{}") as object, said };
}
