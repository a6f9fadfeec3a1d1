import { pageQuery, readPages } from "./pages.ts";
import type { Send } from "./request.ts";
import type {
  ActOptions,
  ListedSchedule,
  NewSchedule,
  Schedule,
  ScheduleBackfilled,
  ScheduleFired,
  ScheduleFires,
  ScheduleInstants,
} from "./types.ts";

type Act = Pick<ActOptions, "reason" | "actor" | "signal">;

/** Schedules, which submit tasks at the instants of a calendar: for operators. */
export interface ScheduleCalls {
  /**
   * Stores a schedule, or changes the one of that id; `isNew` is false if there was one. The same
   * again changes nothing. Throws a `ProblemError` (`schedule.invalid`) with a pointer to each
   * thing that is wrong.
   */
  put(
    id: string,
    schedule: NewSchedule,
    how?: Pick<Act, "actor" | "signal">,
  ): Promise<Schedule & { readonly isNew: boolean }>;
  /** One schedule, with its definition as it can be put again. */
  get(id: string): Promise<Schedule>;
  /** All schedules by their ids, without the inputs of their tasks. */
  list(): Promise<readonly ListedSchedule[]>;
  /** Deletes a schedule. Its tasks go on. */
  delete(id: string, how?: Pick<Act, "actor" | "signal">): Promise<void>;
  /** The instants that come next: 10 unless said otherwise, and at most 100. */
  next(id: string, how?: { readonly count?: number }): Promise<ScheduleInstants>;
  /** What became of its instants, a page, the latest first: 100 unless said otherwise. */
  fires(
    id: string,
    page?: {
      readonly limit?: number;
      /** What the page before named as its `next`. */
      readonly after?: string | null;
    },
  ): Promise<ScheduleFires>;
  pause(id: string, how: Act): Promise<void>;
  resume(id: string, how: Act): Promise<void>;
  /**
   * Has it submit a task now, whatever its last task does. Not repeated after a failure that leaves
   * open whether it was submitted.
   */
  fire(id: string, how: Act): Promise<ScheduleFired>;
  /**
   * Submits tasks for the instants of a time of the past that have not fired, at most 100. Safe to
   * repeat: each instant fires once.
   */
  backfill(
    id: string,
    how: Act & { readonly from: string | Date; readonly to: string | Date },
  ): Promise<ScheduleBackfilled>;
}

const list = "/v1/schedules";
const pathOf = (id: string, rest = ""): string => `${list}/${encodeURIComponent(id)}${rest}`;
const textOf = (instant: string | Date): string =>
  typeof instant === "string" ? instant : instant.toISOString();

export function scheduleCalls(send: Send, usualActor: string): ScheduleCalls {
  const get = async <Body>(path: string, query = {}): Promise<Body> =>
    (await send<Body>({ method: "GET", path, query, repeat: "safe" })).body;
  const act = async <Body>(
    path: string,
    { reason, actor = usualActor, signal, ...more }: Act & Readonly<Record<string, unknown>>,
    repeat: "safe" | "only when refused" = "only when refused",
  ): Promise<Body> =>
    (await send<Body>({ method: "POST", path, body: { ...more, reason, actor }, signal, repeat }))
      .body;
  return {
    async put(id, schedule, { actor = usualActor, signal } = {}) {
      const { status, body } = await send<Schedule>({
        method: "PUT",
        path: pathOf(id),
        query: { actor },
        body: schedule,
        signal,
        repeat: "safe",
      });
      return { ...body, isNew: status === 201 };
    },
    get: (id) => get<Schedule>(pathOf(id)),
    list: () => readPages<ListedSchedule>(send, list, { limit: 100 }),
    async delete(id, { actor = usualActor, signal } = {}) {
      const path = pathOf(id);
      const repeat = "only when refused";
      await send({ method: "DELETE", path, query: { actor }, signal, repeat });
    },
    next: (id, { count } = {}) =>
      get<ScheduleInstants>(pathOf(id, "/next"), { count: count?.toString() }),
    fires: (id, page = {}) => get<ScheduleFires>(pathOf(id, "/fires"), pageQuery(page)),
    pause: (id, how) => act<void>(pathOf(id, "/pause"), { ...how }),
    resume: (id, how) => act<void>(pathOf(id, "/resume"), { ...how }),
    fire: (id, how) => act<ScheduleFired>(pathOf(id, "/fire"), { ...how }),
    backfill: (id, { from, to, ...how }) =>
      act(pathOf(id, "/backfill"), { ...how, from: textOf(from), to: textOf(to) }, "safe"),
  };
}
