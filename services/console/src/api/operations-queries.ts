import type { StoredWorkflow, TaskCount } from "@holdfast/client";
import type { BulkOutcome } from "@holdfast/domain";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { pathOf } from "./api.ts";
import { askAll } from "./ask-all.ts";
import { useConsole } from "./console-context.ts";
import type {
  BulkItem,
  BulkOperation,
  DeadLetter,
  DeadLetterAction,
  Examination,
  Failures,
  Page,
  SystemView,
  Verification,
} from "./operations-types.ts";
import type { ListedTask } from "./types.ts";

type Query = Readonly<Record<string, string | undefined>>;

/** One resource that is asked for again each so many milliseconds. */
function useResource<T>(
  path: string,
  { query, every }: { readonly query?: Query; readonly every: number | false },
) {
  const { api } = useConsole();
  return useQuery({
    queryKey: ["resource", path, query ?? {}],
    queryFn: ({ signal }) =>
      api.ask<T>({ method: "GET", path, ...(query === undefined ? {} : { query }) }, signal),
    refetchInterval: every,
  });
}

/** A list that is loaded page by page. */
function usePages<T>(
  path: string,
  { query, every }: { readonly query: Query; readonly every: number | false },
) {
  const { api } = useConsole();
  return useInfiniteQuery({
    queryKey: ["pages", path, query],
    queryFn: ({ pageParam, signal }) =>
      api.ask<Page<T>>(
        { method: "GET", path, query: { ...query, after: pageParam ?? undefined } },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: every,
  });
}

/** A list of which all pages are shown. */
function useWholeList<T>(path: string, { every }: { readonly every: number }) {
  const { api } = useConsole();
  return useQuery({
    queryKey: ["resource", path, {}],
    queryFn: ({ signal }) => askAll<T>(api, path, { limit: 500, signal }),
    refetchInterval: every,
  });
}

export const useFailures = (query: Query) =>
  useResource<Failures>("/v1/failures", { query, every: 5_000 });

export const useBulkOperations = () =>
  usePages<BulkOperation>("/v1/bulk-operations", { query: {}, every: 3_000 });

export const useBulkOperation = (id: string, every: number | false) =>
  useResource<BulkOperation>(pathOf`/v1/bulk-operations/${id}`, { every });

export const useBulkItems = (id: string, outcome: BulkOutcome | null, every: number | false) =>
  usePages<BulkItem>(pathOf`/v1/bulk-operations/${id}/items`, {
    query: { limit: "100", outcome: outcome ?? undefined },
    every,
  });

export const useWorkflows = () =>
  useWholeList<Omit<StoredWorkflow, "definition">>("/v1/workflows", { every: 10_000 });

export const useWorkflow = (name: string) =>
  useResource<StoredWorkflow>(pathOf`/v1/workflows/${name}`, { every: 10_000 });

/** How many tasks of a workflow are in a state, as far as the service counts. */
export const useWorkflowCount = (workflow: string, state: ListedTask["state"] | "open") =>
  useResource<TaskCount>("/v1/tasks/count", { query: { workflow, state }, every: 10_000 });

export const useSystem = () => useResource<SystemView>("/v1/system", { every: 5_000 });
export const useDoctor = () => useResource<Examination>("/v1/doctor", { every: false });
export const useVerify = () => useResource<Verification>("/v1/verify", { every: false });

export const useDeadLetterActions = () =>
  useResource<Page<DeadLetterAction>>("/v1/dead-letter-actions", {
    query: { limit: "200" },
    every: 10_000,
  });

export const useDeadLetters = (queue: string) =>
  usePages<DeadLetter>("/v1/dead-letters", {
    query: { limit: "50", queue: queue === "" ? undefined : queue },
    every: 10_000,
  });
