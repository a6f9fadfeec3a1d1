import { parentPort } from "node:worker_threads";
import type { WorkName } from "./aside.ts";
import { work } from "./work.ts";

/**
 * A thread that does one piece of work after the other, and answers each with JSON: `{ result }`,
 * or `{ error }`.
 */
parentPort!.on("message", (text: string) => parentPort!.postMessage(answer(text), []));

function answer(text: string): string {
  try {
    const [name, args] = JSON.parse(text) as [WorkName, readonly unknown[]];
    const piece = work[name] as (...all: readonly unknown[]) => unknown;
    return JSON.stringify({ result: piece(...args) });
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message });
  }
}
