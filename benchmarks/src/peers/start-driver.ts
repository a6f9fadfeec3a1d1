import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { guardProcess } from "@holdfast/local-stack";
import type { Measurement, Subject } from "../subject.ts";
import type { Started } from "./contender-program.ts";

/** The program of a peer in another language. */
export interface Driver {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

interface Answer {
  readonly pids?: Started["pids"];
}

/**
 * Starts a program that works and submits orders in another language, and has it measured like the
 * others: it gets each measurement as a line of JSON, and answers with a line when it is done.
 * `owner` stops it.
 */
export async function startDriver(owner: AsyncDisposableStack, driver: Driver): Promise<Started> {
  const child = spawnDriver(driver);
  const exited = once(child, "exit");
  const guard = guardProcess(child.pid ?? 0, "SIGKILL");
  owner.defer(async () => {
    child.stdin?.end();
    await exited;
    guard[Symbol.dispose]();
  });
  const lines = child.stdout === null ? null : createInterface({ input: child.stdout });
  const answers = lines?.[Symbol.asyncIterator]();
  const answer = async (): Promise<Answer> => {
    const { value, done } = (await answers?.next()) ?? { done: true };
    if (done === true) throw new Error(`${driver.command[0]} has ended`);
    return JSON.parse(value) as Answer;
  };
  const { pids = {} } = await answer();
  const ask = async (measurement: Measurement): Promise<void> => {
    child.stdin?.write(`${JSON.stringify(measurement)}\n`);
    await answer();
  };
  const subject: Subject = {
    backlog: (orders) => ask({ kind: "backlog", orders }),
    inFlight: (orders, width) => ask({ kind: "inFlight", orders, width }),
    one: () => ask({ kind: "lone", orders: 1 }),
  };
  return { subject, pids: { driver: child.pid ?? 0, ...pids } };
}

function spawnDriver({ command: [program, ...args], env, folder }: Driver): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(program, args, {
    cwd: folder,
    env: { PATH, HOME, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
}
