import {
  keepPreviousData,
  type QueryClient,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback } from "react";
import { useLiveEvents, useLiveState } from "../live/use-live.ts";
import { askAll, type PageQuery } from "./ask-all.ts";
import { type Call, call, type PathWith } from "./call.ts";
import { useConsole } from "./console-context.ts";
import type { Agent, HistoryEntry, Overview, Pause, Remote, Statistics } from "./types.ts";

/** Milliseconds between two questions while there is no stream. */
const pollInterval = 3_000;

export type TaskPart = "task" | "why" | "attempts" | "history" | "signals";

/** Keys of all that is cached: an action makes stale what it may have changed. */
export const keys = {
  overview: ["overview"] as const,
  statistics: (range: string) => ["statistics", range] as const,
  task: (id: string) => ["task", id] as const,
  taskPart: (id: string, part: TaskPart) => ["task", id, part] as const,
  approval: (id: string, step: string) => ["task", id, "approval", step] as const,
  agents: ["agents"] as const,
  pauses: ["pauses"] as const,
  remotes: ["remotes"] as const,
};

/** Milliseconds after which to ask again; false while the stream brings what changes. */
export function usePollInterval({ evenIfLive = false } = {}): number | false {
  return useLiveState().kind === "live" && !evenIfLive ? false : pollInterval;
}

/** The overview: from the stream, or asked for. */
export function useOverview() {
  const { api } = useConsole();
  const cache = useQueryClient();
  const refetchInterval = usePollInterval();
  const onOverview = useCallback(
    (overview: Overview) => void cache.setQueryData(keys.overview, overview),
    [cache],
  );
  useLiveEvents({ onOverview });
  return useQuery({
    queryKey: keys.overview,
    queryFn: ({ signal }) => api.ask<Overview>(call("get", "/v1/overview", {}), signal),
    refetchInterval,
  });
}

/** Statistics over a range that ends now. */
export function useStatistics(rangeMs: number) {
  const { api } = useConsole();
  return useQuery({
    queryKey: keys.statistics(String(rangeMs)),
    queryFn: ({ signal }) => {
      const now = Date.now();
      const query = {
        from: new Date(now - rangeMs).toISOString(),
        until: new Date(now).toISOString(),
      };
      return api.ask<Statistics>(call("get", "/v1/statistics", { query }), signal);
    },
    refetchInterval: 10_000,
    // The chart of the range before stays until this one is there.
    placeholderData: keepPreviousData,
  });
}

const taskPaths = {
  task: "/v1/tasks/{id}",
  why: "/v1/tasks/{id}/why",
  attempts: "/v1/tasks/{id}/attempts",
  history: "/v1/tasks/{id}/history",
  signals: "/v1/tasks/{id}/signals",
} as const satisfies Readonly<Record<TaskPart, PathWith<"get">>>;

/** One part of what is known of a task: the task itself, `why`, `attempts` or `signals`. */
export function useTaskPart<T>(id: string, name: TaskPart, refetchInterval: number | false) {
  const { api } = useConsole();
  return useQuery({
    queryKey: keys.taskPart(id, name),
    queryFn: ({ signal }) => api.ask<T>(call("get", taskPaths[name], { path: { id } }), signal),
    refetchInterval,
  });
}

/** The history of a task, page by page. */
export function useHistory(id: string, refetchInterval: number | false) {
  const { api } = useConsole();
  const page = (query: PageQuery) => call("get", "/v1/tasks/{id}/history", { path: { id }, query });
  return useQuery({
    queryKey: keys.taskPart(id, "history"),
    queryFn: ({ signal }) => askAll<HistoryEntry>(api, { page, limit: 1_000, signal }),
    refetchInterval,
  });
}

/** What operators have set up for the console; a service that knows no settings has none. */
export function useConsoleSettings() {
  const { api } = useConsole();
  return useQuery({
    queryKey: ["console-settings"],
    queryFn: ({ signal }) =>
      api.ask<{ readonly traceUrlTemplate: string | null }>(
        call("get", "/v1/console-settings", {}),
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

function useList<T>(queryKey: readonly string[], page: (query: PageQuery) => Call) {
  const { api } = useConsole();
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => askAll<T>(api, { page, limit: 500, signal }),
    refetchInterval: pollInterval,
  });
}

export const useAgents = () =>
  useList<Agent>(keys.agents, (query) => call("get", "/v1/agents", { query }));
export const usePauses = () =>
  useList<Pause>(keys.pauses, (query) => call("get", "/v1/pauses", { query }));
export const useRemotes = () => useList<Remote>(keys.remotes, () => call("get", "/v1/remotes", {}));

/** Asks again, after an action, for everything that is shown. */
export const refreshAll = (cache: QueryClient): Promise<void> => cache.invalidateQueries();
