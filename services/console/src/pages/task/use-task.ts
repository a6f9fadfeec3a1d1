import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { pathOf } from "../../api/api.ts";
import { useConsole } from "../../api/console-context.ts";
import { keys, useHistory, useTaskPart } from "../../api/queries.ts";
import type { Attempts, HistoryEntry, Task, Why } from "../../api/types.ts";
import { followStream, type StreamState } from "../../live/follow-stream.ts";
import { withMove } from "./history/with-move.ts";

interface History {
  readonly items: readonly HistoryEntry[];
}

/** Milliseconds between two questions while there is no stream. */
const pollInterval = 3_000;
/** What is derived from the moves is asked for this long after the first of them. */
const settleTime = 400;

/** A task and what is known of it, live: by its stream, or by asking every few seconds. */
export function useTask(id: string) {
  const stream = useTaskStream(id);
  const hasEnded = stream === "ended";
  const interval = stream === "live" || hasEnded ? false : pollInterval;
  return {
    task: useTaskPart<Task>(id, "task", interval),
    why: useTaskPart<Why>(id, "why", interval),
    attempts: useTaskPart<Attempts>(id, "attempts", interval),
    history: useHistory(id, interval),
  };
}

/** Follows the stream of a task into the cache. */
function useTaskStream(id: string): StreamState["kind"] | "ended" {
  const { api } = useConsole();
  const cache = useQueryClient();
  const [state, setState] = useState<StreamState["kind"] | "ended">("connecting");
  useEffect(() => {
    const stop = new AbortController();
    const derived = refresher(cache, id);
    const onEvent = (event: string, data: unknown): void => {
      if (event === "moved") {
        const move = data as HistoryEntry;
        cache.setQueryData<History>(keys.taskPart(id, "history"), (before) =>
          before === undefined ? before : { items: withMove(before.items, move) },
        );
      }
      if (event === "task") cache.setQueryData(keys.taskPart(id, "task"), data);
      derived.soon();
    };
    const following = followStream({
      api,
      path: pathOf`/v1/tasks/${id}/events`,
      onEvent,
      onState: ({ kind }) => setState(kind),
      signal: stop.signal,
    });
    const atEnd = async (): Promise<void> => {
      await following;
      if (stop.signal.aborted) return;
      // It has ended: what it came to is asked for once more, and does not change then.
      setState((before) => (before === "refused" ? before : "ended"));
      derived.now();
    };
    void atEnd();
    return () => {
      stop.abort();
      derived.stop();
    };
  }, [api, cache, id]);
  return state;
}

/** Asks for all parts of the task anew, however many moves there are: twice in a second at most. */
function refresher(cache: QueryClient, id: string) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = (): void => {
    timer = undefined;
    void cache.invalidateQueries({ queryKey: keys.task(id) });
  };
  return {
    now,
    soon: (): void => void (timer ??= setTimeout(now, settleTime)),
    stop: (): void => clearTimeout(timer),
  };
}
