import { priorities } from "@holdfast/domain";
import {
  type InfiniteData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { useConsole } from "../../api/console-context.ts";
import type { ChangedTask } from "../../api/types.ts";
import { useLiveEvents } from "../../live/use-live.ts";
import { searchFilter, type TaskFilter, writeFilter } from "./filter.ts";
import { newIdsAfter, patchPages, prependNewest, type TaskPageData } from "./merge-tasks.ts";

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
      const body = { filter: searchFilter(filter, ticker.get()), ...page };
      return api.ask<TaskPageData>(call("post", "/v1/tasks/search", { body }), signal);
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
  const { newIds, gap } = useChanges({ queryKey, filter, isFetching: list.isFetching });
  const { latest, close } = gap;
  const refresh = useCallback(async () => {
    const upTo = latest();
    // The banner says that the service does not answer.
    const newest = await ask(null).catch(() => null);
    // A page that is on its way puts what was before it in the place of what is written meanwhile.
    if (newest === null || cache.isFetching({ queryKey }) > 0) return;
    const data = cache.getQueryData<Data>(queryKey);
    const pages = data === undefined ? null : prependNewest(data.pages, newest);
    if (data === undefined || pages === null) {
      cache.setQueryData<Data>(queryKey, { pages: [newest], pageParams: [null] });
    } else cache.setQueryData<Data>(queryKey, { ...data, pages: [...pages] });
    close(upTo);
  }, [ask, cache, queryKey, latest, close]);
  const items = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const top = items[0]?.id ?? "";
  const unseen = useMemo(() => new Set([...newIds].filter((id) => id > top)), [newIds, top]);
  return { ...list, items, refresh, newIds: unseen, isBehind: gap.isOpen || unseen.size > 0 };
}

/** Whether the stream has left something out, and the list was not asked for since. */
function useGap() {
  const [opened, setOpened] = useState(0);
  const [closed, setClosed] = useState(0);
  const count = useRef(0);
  const open = useCallback(() => setOpened((count.current += 1)), []);
  const latest = useCallback(() => count.current, []);
  const close = useCallback((upTo: number) => setClosed((before) => Math.max(before, upTo)), []);
  return { isOpen: opened > closed, open, latest, close };
}

interface Watching {
  readonly queryKey: readonly ["tasks", string];
  readonly filter: TaskFilter;
  readonly isFetching: boolean;
}

/**
 * Applies what the stream says to the loaded tasks. Finds the ids of new ones that belong to the
 * list.
 */
function useChanges({ queryKey, filter, isFetching }: Watching) {
  const cache = useQueryClient();
  const gap = useGap();
  const [newIds, setNewIds] = useState<ReadonlySet<string>>(new Set());
  const [, text] = queryKey;
  useEffect(() => setNewIds(new Set()), [text]);
  /** What was said while a page was on its way; it is applied when the page is there. */
  const waiting = useRef(new Map<string, ChangedTask>());
  const apply = useCallback(() => {
    const data = cache.getQueryData<Data>(queryKey);
    if (data === undefined || cache.isFetching({ queryKey }) > 0) return;
    const changed = waiting.current;
    waiting.current = new Map();
    const pages = patchPages(data.pages, changed);
    if (pages !== data.pages) cache.setQueryData<Data>(queryKey, { ...data, pages: [...pages] });
    const top = data.pages[0]?.items[0]?.id ?? "";
    setNewIds((before) => newIdsAfter(before, { changed, filter, top }));
    // oxlint-disable-next-line exhaustive-deps -- the key stands for the filter
  }, [cache, queryKey]);
  const { open } = gap;
  const onChanged = useCallback(
    (tasks: readonly ChangedTask[], more: number) => {
      for (const task of tasks) waiting.current.set(task.id, task);
      if (more > 0) open();
      apply();
    },
    [apply, open],
  );
  useEffect(() => {
    if (!isFetching && waiting.current.size > 0) apply();
  }, [isFetching, apply]);
  useLiveEvents({ onChanged, onBegun: open });
  return { newIds, gap };
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
      const { createdAt } = searchFilter(filter, ticker.get());
      const query = {
        workflow: rest.workflow || undefined,
        state: states[0],
        priority: priorities.find((one) => one === rest.priority),
        key: rest.key || undefined,
        faultCode: rest.faultCode || undefined,
        correlationId: rest.correlationId || undefined,
        awaiting: rest.awaiting || undefined,
        createdFrom: createdAt?.$gte,
        createdBefore: createdAt?.$lt,
        ...(Object.fromEntries(
          Object.entries(labels).map(([name, value]) => [`label.${name}` as const, value]),
        ) as Readonly<Record<`label.${string}`, string>>),
      };
      return api.ask<{ readonly count: number; readonly complete: boolean }>(
        call("get", "/v1/tasks/count", { query }),
        signal,
      );
    },
  });
}
