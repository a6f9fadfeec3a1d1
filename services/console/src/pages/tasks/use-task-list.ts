import {
  type InfiniteData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useConsole } from "../../api/console-context.ts";
import type { ChangedTask } from "../../api/types.ts";
import { useLiveEvents } from "../../live/use-live.ts";
import { matches, searchFilter, type TaskFilter, writeFilter } from "./filter.ts";
import { patchPages, prependNewest, type TaskPageData } from "./merge-tasks.ts";

/** The first page is there at once; one who scrolls on wants many. */
const pageSize = { first: 100, further: 500 } as const;
type Data = InfiniteData<TaskPageData, string | null>;

/** The tasks of a filter: loaded by pages as one scrolls, and kept as they stand now. */
export function useTaskList(filter: TaskFilter) {
  const { api, ticker } = useConsole();
  const cache = useQueryClient();
  const text = writeFilter(filter);
  const queryKey = useMemo(() => ["tasks", text] as const, [text]);
  const ask = useCallback(
    (after: string | null, signal?: AbortSignal) => {
      const page = after === null ? { limit: pageSize.first } : { limit: pageSize.further, after };
      const body = { filter: searchFilter(filter, ticker.get()), page };
      return api.ask<TaskPageData>({ method: "POST", path: "/v1/tasks/search", body }, signal);
    },
    // oxlint-disable-next-line exhaustive-deps -- the text stands for the filter
    [api, text],
  );
  const list = useInfiniteQuery<TaskPageData, Error, Data, typeof queryKey, string | null>({
    queryKey,
    queryFn: ({ pageParam, signal }) => ask(pageParam, signal),
    initialPageParam: null,
    getNextPageParam: ({ next }) => next,
    // A hundred thousand tasks are not compared one by one, nor asked for again at once.
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
  });
  const refresh = useCallback(async () => {
    // The banner says that the service does not answer.
    const newest = await ask(null).catch(() => null);
    if (newest === null) return;
    const data = cache.getQueryData<Data>(queryKey);
    const pages = data === undefined ? null : prependNewest(data.pages, newest);
    if (data === undefined || pages === null) {
      cache.setQueryData<Data>(queryKey, { pages: [newest], pageParams: [null] });
    } else cache.setQueryData<Data>(queryKey, { ...data, pages: [...pages] });
  }, [ask, cache, queryKey]);
  const newIds = useChanges(queryKey, filter);
  const items = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  return { ...list, items, refresh, newIds };
}

/** Applies what the stream says to the loaded tasks. Returns the ids of new ones that belong to the list. */
function useChanges(queryKey: readonly ["tasks", string], filter: TaskFilter): ReadonlySet<string> {
  const cache = useQueryClient();
  const [newIds, setNewIds] = useState<ReadonlySet<string>>(new Set());
  const [, text] = queryKey;
  useEffect(() => setNewIds(new Set()), [text]);
  const onChanged = useCallback(
    (tasks: readonly ChangedTask[]) => {
      const data = cache.getQueryData<Data>(queryKey);
      if (data === undefined) return;
      const changed = new Map(tasks.map((task) => [task.id, task]));
      const pages = patchPages(data.pages, changed);
      if (pages !== data.pages) cache.setQueryData<Data>(queryKey, { ...data, pages: [...pages] });
      const top = data.pages[0]?.items[0]?.id ?? "";
      // Ids are in the order of time.
      const added = tasks.filter((task) => task.id > top && matches(filter, task) === true);
      setNewIds((before) => {
        const left = [...before].filter((id) => id > top);
        const next = new Set([...left, ...added.map(({ id }) => id)]);
        return next.size === before.size && left.length === before.size ? before : next;
      });
    },
    // oxlint-disable-next-line exhaustive-deps -- the key stands for the filter
    [cache, queryKey],
  );
  useLiveEvents({ onChanged });
  return newIds;
}

/** How many tasks match, as far as the service counts. */
export function useTaskCount(filter: TaskFilter) {
  const { api, ticker } = useConsole();
  const { states, labels, ...rest } = filter;
  const text = writeFilter(filter);
  // The count takes one state and no free text.
  const isCountable = states.length <= 1 && rest.text === "" && rest.fingerprint === "";
  return useQuery({
    queryKey: ["count", text],
    enabled: isCountable,
    refetchInterval: 10_000,
    queryFn: ({ signal }) => {
      const { createdAt } = searchFilter(filter, ticker.get()) as {
        readonly createdAt?: { readonly $gte?: string; readonly $lt?: string };
      };
      const query = {
        workflow: rest.workflow || undefined,
        state: states[0],
        priority: rest.priority || undefined,
        key: rest.key || undefined,
        faultCode: rest.faultCode || undefined,
        correlationId: rest.correlationId || undefined,
        createdFrom: createdAt?.$gte,
        createdBefore: createdAt?.$lt,
        ...Object.fromEntries(
          Object.entries(labels).map(([name, value]) => [`label.${name}`, value]),
        ),
      };
      return api.ask<{ readonly count: number; readonly complete: boolean }>(
        { method: "GET", path: "/v1/tasks/count", query },
        signal,
      );
    },
  });
}
