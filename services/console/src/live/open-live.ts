import type { Api } from "../api/api.ts";
import { type Observable, observable } from "../api/observable.ts";
import type { ChangedTask, Overview } from "../api/types.ts";
import { followStream, type StreamState } from "./follow-stream.ts";

/** What the service says about all tasks, once a second at most. */
export interface LiveEvents {
  readonly onChanged?: (tasks: readonly ChangedTask[], more: number) => void;
  readonly onOverview?: (overview: Overview) => void;
  /**
   * The first event of a connection has come: what changes from now on is said. What was read
   * before may be behind, as a new stream begins with what is to come, not with what was.
   */
  readonly onBegun?: () => void;
}

/** The one stream that all parts of a page share. */
export interface Live {
  readonly state: Observable<StreamState>;
  listen(events: LiveEvents): () => void;
  /** Follows the stream until the returned function is called. */
  start(): () => void;
}

export function openLive(api: Pick<Api, "open">): Live {
  const state = observable<StreamState>({ kind: "connecting" });
  const listeners = new Set<LiveEvents>();
  let hasBegun = false;
  const onState = (next: StreamState): void => {
    hasBegun = false;
    state.set(next);
  };
  const onEvent = (event: string, data: unknown): void => {
    if (!hasBegun) {
      hasBegun = true;
      for (const { onBegun } of listeners) onBegun?.();
    }
    if (event === "changed") {
      const { tasks, more } = data as {
        readonly tasks: readonly ChangedTask[];
        readonly more: number;
      };
      for (const { onChanged } of listeners) onChanged?.(tasks, more);
    }
    if (event === "tick") {
      const { overview } = data as { readonly overview: Overview };
      for (const { onOverview } of listeners) onOverview?.(overview);
    }
  };
  return {
    state,
    listen(events) {
      listeners.add(events);
      return () => void listeners.delete(events);
    },
    start() {
      const stop = new AbortController();
      const path = "/v1/events";
      void followStream({ api, path, onEvent, onState, signal: stop.signal });
      return () => stop.abort();
    },
  };
}
