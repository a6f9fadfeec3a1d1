import { setTimeout as sleep } from "node:timers/promises";
import type { OwnedProcess } from "./owned-process.ts";

const restMs = 50;

/** What can be watched while it starts. */
export type StartingServer = Pick<OwnedProcess, "exited" | "hasExited" | "lastLines">;

/**
 * Asks again and again until `ask` succeeds. Gives up when the server has ended, or after
 * `withinMs`, and then shows the server's own last words.
 */
export async function waitUntilReady<Answer>(
  server: StartingServer,
  ask: () => Promise<Answer>,
  { name, withinMs }: { readonly name: string; readonly withinMs: number },
): Promise<Answer> {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (cause) {
      const ended = server.hasExited();
      if (ended || performance.now() > until) {
        const what = ended ? "ended while it started" : `was not ready within ${withinMs} ms`;
        throw new Error(`${name} ${what}. Its last lines:\n${server.lastLines()}`, { cause });
      }
    }
    await Promise.race([sleep(restMs), server.exited]);
  }
}
