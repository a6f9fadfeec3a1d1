import { limitOf, pageQuery, readHistory } from "./pages.ts";
import type { Send } from "./request.ts";
import { type TaskSignalCalls, taskSignalCalls } from "./signals.ts";
import type {
  ActOptions,
  AnyWorkflow,
  Attempts,
  Explanation,
  HistoryEntry,
  InputPatch,
  ListedTask,
  ListFilter,
  SearchQuery,
  Task,
  TaskCount,
  TaskPage,
} from "./types.ts";

interface PageOptions {
  /** Tasks on a page: 20 unless given, and at most 500. */
  readonly limit?: number;
  /** What the page before named as its `next`. */
  readonly after?: string | null;
  readonly signal?: AbortSignal;
}

/** A step of a task, where more than one may be meant. */
interface StepOptions extends ActOptions {
  readonly step?: string;
}

/** Tasks for operators; `get`, `history`, `signal` and `signals` need no token. */
export interface TaskCalls extends TaskSignalCalls {
  get(id: string): Promise<Task>;
  /**
   * The task of a workflow that has a business key, or had it last. Keys can be guessed: without a
   * token the service has to allow it by `read-by-key` in its `ANONYMOUS_MAY`.
   */
  getByKey(workflow: AnyWorkflow, key: string): Promise<Task>;
  /** All pages of it. */
  history(id: string): Promise<readonly HistoryEntry[]>;
  /** What a task waits for, or how it ended, in sentences. */
  why(id: string): Promise<Explanation>;
  /** Newest first, with the deadline that each ran against. */
  attempts(id: string): Promise<Attempts>;
  /** A page, newest first. */
  list(filter?: ListFilter, page?: PageOptions): Promise<TaskPage>;
  /** All that match, page by page. */
  all(
    filter?: ListFilter,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<ListedTask, void>;
  search(request: SearchQuery): Promise<TaskPage>;
  count(filter?: ListFilter): Promise<TaskCount>;
  /** Undoes what began, and begins nothing more. */
  cancel(id: string, how: ActOptions): Promise<Task>;
  pause(id: string, how: ActOptions): Promise<Task>;
  resume(id: string, how: ActOptions): Promise<Task>;
  /** Ends the delay of a step. */
  retry(id: string, how: ActOptions & { readonly step: string }): Promise<Task>;
  /** Ends the wait of a step before its time. */
  fire(id: string, how: ActOptions & { readonly step: string }): Promise<Task>;
  /**
   * Retries a step that failed for good, with the input that it had, another one, or that input
   * with changes.
   */
  resubmit(
    id: string,
    how: StepOptions & { readonly input?: unknown; readonly patch?: InputPatch },
  ): Promise<Task>;
  /** Records what a person did instead of a failed step. */
  resolve(id: string, how: StepOptions & { readonly output?: unknown }): Promise<Task>;
}

const pathOf = (id: string, rest = "") => `/v1/tasks/${encodeURIComponent(id)}${rest}`;

export function taskCalls(send: Send, usualActor: string): TaskCalls {
  const get = async <Body>(
    path: string,
    query: Readonly<Record<string, string | undefined>> = {},
    signal?: AbortSignal,
  ) => (await send<Body>({ method: "GET", path, query, signal, repeat: "safe" })).body;
  const act = async (
    id: string,
    what: string,
    { version, signal, actor = usualActor, ...body }: ActOptions & Record<string, unknown>,
  ): Promise<Task> => {
    const seen = version ?? (await get<Task>(pathOf(id), {}, signal)).version;
    const answer = await send<Task>({
      method: "POST",
      path: pathOf(id, `/${what}`),
      headers: { "if-match": `"${seen}"` },
      body: { ...body, actor },
      signal,
      repeat: "only when refused",
    });
    return answer.body;
  };
  const list: TaskCalls["list"] = (filter = {}, { signal, ...page } = {}) =>
    get<TaskPage>("/v1/tasks", { ...filter, ...pageQuery(page) }, signal);
  return {
    get: (id) => get<Task>(pathOf(id)),
    getByKey: (workflow, key) =>
      get<Task>("/v1/tasks/by-key", {
        workflow: typeof workflow === "string" ? workflow : workflow.name,
        key,
      }),
    history: (id) => readHistory(send, id),
    why: (id) => get<Explanation>(pathOf(id, "/why")),
    attempts: (id) => get<Attempts>(pathOf(id, "/attempts")),
    list,
    async *all(filter = {}, options = {}) {
      let after: string | null = null;
      do {
        const page: TaskPage = await list(filter, { limit: 100, after, ...options });
        yield* page.items;
        after = page.next;
      } while (after !== null);
    },
    async search({ limit, ...query }) {
      const body = { ...query, ...(limit === undefined ? {} : { limit: limitOf(limit) }) };
      const path = "/v1/tasks/search";
      return (await send<TaskPage>({ method: "POST", path, body, repeat: "safe" })).body;
    },
    count: (filter = {}) => get<TaskCount>("/v1/tasks/count", filter),
    cancel: (id, how) => act(id, "cancel", { ...how }),
    pause: (id, how) => act(id, "pause", { ...how }),
    resume: (id, how) => act(id, "resume", { ...how }),
    retry: (id, { step, ...how }) => act(id, `steps/${encodeURIComponent(step)}/retry`, { ...how }),
    fire: (id, { step, ...how }) => act(id, `steps/${encodeURIComponent(step)}/fire`, { ...how }),
    resubmit: (id, how) => act(id, "resubmit", { ...how }),
    resolve: (id, how) => act(id, "resolve", { ...how }),
    ...taskSignalCalls(send),
  };
}
