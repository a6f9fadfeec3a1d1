import type { Send } from "./request.ts";
import { awaitResult, hasEnded } from "./result.ts";
import type { HistoryEntry, TaskResult } from "./types.ts";

/** Between two looks at the history, in milliseconds: a look at once when the task ends. */
const interval = 1_000;

/**
 * The moves of a task and its steps, oldest first, as they come; returns how it ended. It is a poll: an answer waits
 * at the service for the end of the task, and no longer than a second.
 */
export async function* followTask(
  send: Send,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<HistoryEntry, TaskResult> {
  const seen = new Set<string>();
  let patience = 0;
  for (;;) {
    const result = await awaitResult(send, id, { patience, signal });
    const { body } = await send<{ readonly items: readonly HistoryEntry[] }>({
      method: "GET",
      path: `/v1/tasks/${encodeURIComponent(id)}/history`,
      signal,
      repeat: "safe",
    });
    for (const entry of body.items) {
      if (!seen.has(entry.id)) yield entry;
      seen.add(entry.id);
    }
    if (hasEnded(result)) return result;
    patience = interval;
  }
}
