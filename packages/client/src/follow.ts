import { lastingEvents } from "./lasting-events.ts";
import { readHistory } from "./pages.ts";
import type { Open, Send } from "./request.ts";
import { awaitResult, isHalted, isSettled } from "./result.ts";
import { sleep } from "./retry.ts";
import type { HistoryEntry, Task, TaskResult } from "./types.ts";

/** How a task is followed. */
export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** Returns also when the task is `halted`: it goes on only when an operator acts. */
  readonly untilHalted?: boolean | undefined;
}

interface Service {
  readonly send: Send;
  readonly open: Open;
  /** Milliseconds for which the service may be unreachable. */
  readonly retryFor: number;
}

/**
 * Milliseconds between two looks at the history, where there is no stream: a look at once when the
 * task ends.
 */
const interval = 1_000;

/**
 * The moves of a task and its steps, oldest first, as they come; returns how it ended. It reads a
 * stream. A service that has none is asked again and again instead.
 */
export async function* followTask(
  { send, open, retryFor }: Service,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<HistoryEntry, TaskResult> {
  const { signal, untilHalted = false } = options;
  const seen = new Set<string>();
  const path = `/v1/tasks/${encodeURIComponent(id)}/events`;
  for await (const { id: place, event, data } of lastingEvents({ open, path, signal, retryFor })) {
    const isOver = event === "task" && untilHalted && isHalted(JSON.parse(data) as Task);
    if (event === "end" || isOver) return await awaitResult(send, id, { timeout: 0, signal });
    if (event !== "moved" || seen.has(place)) continue;
    seen.add(place);
    yield JSON.parse(data) as HistoryEntry;
  }
  return yield* pollTask(send, id, { ...options, seen });
}

/** An answer waits at the service for the end of the task, and no longer than a second. */
async function* pollTask(
  send: Send,
  id: string,
  { seen, ...options }: FollowOptions & { readonly seen: Set<string> },
): AsyncGenerator<HistoryEntry, TaskResult> {
  const { signal, untilHalted = false } = options;
  let timeout = 0;
  for (;;) {
    const result = await awaitResult(send, id, { timeout, signal });
    for (const entry of await readHistory(send, id, signal)) {
      if (!seen.has(entry.id)) yield entry;
      seen.add(entry.id);
    }
    const waitsForOperator = isHalted(result) && !untilHalted;
    if (isSettled(result) && !waitsForOperator) return result;
    // The service does not wait for a task that has halted.
    if (waitsForOperator) await sleep(interval, signal);
    timeout = interval;
  }
}
