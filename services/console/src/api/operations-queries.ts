import type { StoredWorkflow, TaskCount } from "@holdfast/client";
import type { BulkOutcome } from "@holdfast/domain";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { askAll, type PageQuery } from "./ask-all.ts";
import { type Call, call } from "./call.ts";
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
import { keys } from "./queries.ts";
import type {
  Approval,
  ListedSchedule,
  ListedTask,
  OpenApproval,
  Schedule,
  ScheduleFire,
  ScheduleInstants,
} from "./types.ts";

/** One resource that is asked for again each so many milliseconds. */
function useResource<T>(asked: Call, every: number | false) {
  const { api } = useConsole();
  return useQuery({
    queryKey: ["resource", asked.path, asked.query ?? {}],
    queryFn: ({ signal }) => api.ask<T>(asked, signal),
    refetchInterval: every,
  });
}

/** A list that is loaded page by page. */
function usePages<T>(pageAfter: (after: string | undefined) => Call, every: number | false) {
  const { api } = useConsole();
  const { path, query } = pageAfter(undefined);
  return useInfiniteQuery({
    queryKey: ["pages", path, query ?? {}],
    queryFn: ({ pageParam, signal }) => api.ask<Page<T>>(pageAfter(pageParam ?? undefined), signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: every,
  });
}

/** A list of which all pages are shown. */
function useWholeList<T>(page: (query: PageQuery) => Call, every: number) {
  const { api } = useConsole();
  return useQuery({
    queryKey: ["resource", page({ limit: 500 }).path, {}],
    queryFn: ({ signal }) => askAll<T>(api, { page, limit: 500, signal }),
    refetchInterval: every,
  });
}

interface FailuresQuery {
  readonly createdFrom?: string | undefined;
  readonly workflow?: string | undefined;
}

export const useFailures = (query: FailuresQuery) =>
  useResource<Failures>(call("get", "/v1/failures", { query }), 5_000);

export const useBulkOperations = () =>
  usePages<BulkOperation>(
    (after) => call("get", "/v1/bulk-operations", { query: { after } }),
    3_000,
  );

export const useBulkOperation = (id: string, every: number | false) =>
  useResource<BulkOperation>(call("get", "/v1/bulk-operations/{id}", { path: { id } }), every);

export const useBulkItems = (id: string, outcome: BulkOutcome | null, every: number | false) =>
  usePages<BulkItem>(
    (after) =>
      call("get", "/v1/bulk-operations/{id}/items", {
        path: { id },
        query: { limit: 100, outcome: outcome ?? undefined, after },
      }),
    every,
  );

/** Which of the steps are asked for that wait for people to decide. */
export interface ApprovalsQuery {
  readonly audience?: string | undefined;
  /** `true`: those alone that one may decide and has not. */
  readonly mine?: "true" | undefined;
}

/** Milliseconds between two questions for what waits for people to decide. */
const approvalsInterval = 5_000;

export const useApprovals = (query: ApprovalsQuery) =>
  usePages<OpenApproval>(
    (after) => call("get", "/v1/approvals", { query: { ...query, limit: 50, after } }),
    approvalsInterval,
  );

/** One step that people decide, with what they have said; stale with its task. */
export function useApproval(id: string, step: string) {
  const { api } = useConsole();
  return useQuery({
    queryKey: keys.approval(id, step),
    queryFn: ({ signal }) =>
      api.ask<Approval>(
        call("get", "/v1/tasks/{id}/steps/{step}/approval", { path: { id, step } }),
        signal,
      ),
    refetchInterval: ({ state }) =>
      state.data === undefined || isOpen(state.data) ? approvalsInterval : false,
  });
}

const isOpen = ({ outcome }: Approval): boolean => outcome === null;

/** Milliseconds between two questions for schedules: they come to instants of whole minutes. */
const schedulesInterval = 5_000;

export const useSchedules = () =>
  usePages<ListedSchedule>(
    (after) => call("get", "/v1/schedules", { query: { limit: 100, after } }),
    schedulesInterval,
  );

export const useSchedule = (id: string) =>
  useResource<Schedule>(call("get", "/v1/schedules/{id}", { path: { id } }), schedulesInterval);

/** The next ten instants of a schedule. */
export const useScheduleInstants = (id: string) =>
  useResource<ScheduleInstants>(
    call("get", "/v1/schedules/{id}/next", { path: { id }, query: { count: "10" } }),
    schedulesInterval,
  );

/** What became of the instants of a schedule, the latest first. */
export const useScheduleFires = (id: string) =>
  usePages<ScheduleFire>(
    (after) =>
      call("get", "/v1/schedules/{id}/fires", { path: { id }, query: { limit: 50, after } }),
    schedulesInterval,
  );

export const useWorkflows = () =>
  useWholeList<Omit<StoredWorkflow, "definition">>(
    (query) => call("get", "/v1/workflows", { query }),
    10_000,
  );

export const useWorkflow = (name: string) =>
  useResource<StoredWorkflow>(call("get", "/v1/workflows/{name}", { path: { name } }), 10_000);

/** How many tasks of a workflow are in a state, as far as the service counts. */
export const useWorkflowCount = (workflow: string, state: ListedTask["state"] | "open") =>
  useResource<TaskCount>(call("get", "/v1/tasks/count", { query: { workflow, state } }), 10_000);

export const useSystem = () => useResource<SystemView>(call("get", "/v1/system", {}), 5_000);
export const useDoctor = () => useResource<Examination>(call("get", "/v1/doctor", {}), false);
export const useVerify = () => useResource<Verification>(call("get", "/v1/verify", {}), false);

export const useDeadLetterActions = () =>
  useResource<Page<DeadLetterAction>>(
    call("get", "/v1/dead-letter-actions", { query: { limit: 200 } }),
    10_000,
  );

export const useDeadLetters = (queue: string) =>
  usePages<DeadLetter>(
    (after) =>
      call("get", "/v1/dead-letters", {
        query: { limit: 50, queue: queue === "" ? undefined : queue, after },
      }),
    10_000,
  );
