import { useEffect, useSyncExternalStore } from "react";
import { useConsole } from "../api/console-context.ts";
import type { StreamState } from "./follow-stream.ts";
import type { LiveEvents } from "./open-live.ts";

/** How the stream of the page stands. */
export function useLiveState(): StreamState {
  const { state } = useConsole().live;
  return useSyncExternalStore(state.subscribe, state.get);
}

/** Calls back with each event. Give it functions that stay the same. */
export function useLiveEvents({ onChanged, onOverview, onBegun }: LiveEvents): void {
  const { live } = useConsole();
  useEffect(
    () =>
      live.listen({
        ...(onChanged === undefined ? {} : { onChanged }),
        ...(onOverview === undefined ? {} : { onOverview }),
        ...(onBegun === undefined ? {} : { onBegun }),
      }),
    [live, onChanged, onOverview, onBegun],
  );
}
