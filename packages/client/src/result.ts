import type { Send } from "./request.ts";
import { sleep } from "./retry.ts";
import type { TaskResult } from "./types.ts";

/** The longest time in milliseconds for which the service lets one request wait. */
export const longestRequest = 60_000;
/** Milliseconds between two requests that were not allowed to wait. */
const pause = 500;

export interface WaitOptions {
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a task has halted: it goes on only when an operator acts. */
export const isHalted = ({ state }: Pick<TaskResult, "state">): boolean => state === "halted";

/** Whether there is nothing to wait for: the task has ended or halted. */
export const isSettled = ({ state }: Pick<TaskResult, "state">): boolean =>
  state === "processed" || state === "undone" || isHalted({ state });

/** How a task stands: as soon as it has ended or halted, or once the time is over. */
export async function awaitResult(
  send: Send,
  id: string,
  { timeout, signal }: WaitOptions,
): Promise<TaskResult> {
  const until = Date.now() + timeout;
  for (;;) {
    const left = Math.max(0, until - Date.now());
    const begun = Date.now();
    const wait = Math.min(left, longestRequest);
    const { body } = await send<TaskResult>({
      method: "GET",
      path: `/v1/tasks/${encodeURIComponent(id)}/result`,
      query: { wait: `${Math.ceil(wait)}ms` },
      signal,
      repeat: "safe",
      takes: wait,
    });
    if (isSettled(body) || left <= wait) return body;
    // Too many wait at the service, or it is stopping: it answered at once.
    if (Date.now() - begun < pause) await sleep(pause, signal);
  }
}
