import { calendarOf, limits, type WholeSchedule } from "@holdfast/contracts";
import { type Instant, parseInstant, printablePattern } from "@holdfast/domain";
import type { StoredSchedule } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { ActBody, actFields } from "../act-body.ts";
import { describe, ref } from "../api/describe.ts";
import { Problem } from "../problem.ts";
import {
  type BySchedule,
  findSchedule,
  type ScheduleDependencies,
  ScheduleParams,
  unknownSchedule,
} from "./find-schedule.ts";
import { invalidSchedule } from "./read-schedule.ts";

type Store = ScheduleDependencies["store"];
interface Acting extends BySchedule {
  readonly Body: Static<typeof ActBody>;
}

/** Pauses and resumes a schedule, and has it fire by hand. */
export function actRoutes(app: FastifyInstance, deps: ScheduleDependencies): void {
  pauseRoutes(app, deps);
  fireRoute(app, deps);
  backfillRoute(app, deps);
}

const pauseActs = {
  pause: {
    summary: "Has a schedule fire no more until it is resumed. Its tasks go on.",
    refusal: "schedule.already_paused",
    words: "is paused already",
    act: ({ pauseSchedule }: Store) => pauseSchedule,
  },
  resume: {
    summary: "Ends the pause of a schedule: it fires at the instants that come from now on.",
    refusal: "schedule.not_paused",
    words: "is not paused",
    act: ({ resumeSchedule }: Store) => resumeSchedule,
  },
} as const;

function pauseRoutes(app: FastifyInstance, { store, onRequest }: ScheduleDependencies): void {
  for (const [name, { summary, refusal, words, act }] of Object.entries(pauseActs)) {
    const schema = {
      ...describe({
        id: `${name}Schedule`,
        tag: "schedules",
        summary,
        answers: { "204": { words: "Done." } },
        codes: { 404: ["schedule.unknown"], 409: [refusal] },
      }),
      params: ScheduleParams,
      body: ActBody,
    };
    app.post<Acting>(
      `/v1/schedules/:id/${name}`,
      { onRequest, schema },
      async ({ params: { id }, body, log }, reply) => {
        if (!(await act(store)({ id, ...body }))) {
          await findSchedule(store, id);
          throw new Problem(409, refusal, `The schedule ${id} ${words}.`);
        }
        log.info({ schedule: id, act: name, ...body }, "schedule changed");
        return reply.code(204).send();
      },
    );
  }
}

function fireRoute(app: FastifyInstance, { store, onRequest }: ScheduleDependencies): void {
  const schema = {
    ...describe({
      id: "fireSchedule",
      tag: "schedules",
      summary: "Has a schedule submit a task now, also while it is paused or its last task runs.",
      description: "Its calendar stays as it is. Asked again, it submits another task.",
      answers: { "202": { words: "The task is submitted.", schema: ref("ScheduleFired") } },
      codes: { 404: ["schedule.unknown"] },
    }),
    params: ScheduleParams,
    body: ActBody,
  };
  app.post<Acting>(
    "/v1/schedules/:id/fire",
    { onRequest, schema },
    async ({ params: { id }, body }, reply) => reply.code(202).send(await fireNow(store, id, body)),
  );
}

interface Fired {
  readonly instant: string;
  readonly taskId: string;
}

/** Fires for now. Where another request has fired for the same millisecond, the next one is it. */
async function fireNow(store: Store, id: string, act: Static<typeof ActBody>): Promise<Fired> {
  for (;;) {
    const [fired] = await fire(store, { id, instants: null, ...act });
    if (fired !== undefined) return fired;
  }
}

async function fire(
  store: Store,
  asked: Parameters<Store["fireByHand"]>[0],
): Promise<readonly Fired[]> {
  const saved = await store.fireByHand(asked);
  if (saved === null) throw unknownSchedule(asked.id);
  return saved
    .toSorted((a, b) => a.instant - b.instant)
    .flatMap(({ instant, taskId }) =>
      taskId === null ? [] : [{ instant: new Date(instant).toISOString(), taskId }],
    );
}

const Bound = Type.String({ maxLength: limits.instant, pattern: printablePattern });
const BackfillBody = Type.Object(
  {
    from: Type.Unsafe<string>({
      ...Bound,
      description: "The first instant that may fire, with its zone.",
    }),
    to: Type.Unsafe<string>({
      ...Bound,
      description: "The last instant that may fire, with its zone: not in the future.",
    }),
    ...actFields,
  },
  { additionalProperties: false },
);
type BackfillBody = Static<typeof BackfillBody>;

/** Tasks that one request may submit. */
const mostFired = 100;
/** Instants that one request may be about, those that have fired included. */
const mostInstants = 500;

function backfillRoute(app: FastifyInstance, { store, onRequest }: ScheduleDependencies): void {
  const schema = {
    ...describe({
      id: "backfillSchedule",
      tag: "schedules",
      summary: "Submits tasks for instants of the past that have not fired.",
      description: `The instants of the calendar from \`from\` to \`to\`, both included, that it has passed: those that were missed or skipped, and those from before it was stored. At most ${mostFired} at a time; more are refused, and \`count\` says how many they are. What has fired stays as it is, so asking again does no harm.`,
      answers: {
        "202": { words: "The tasks are submitted.", schema: ref("ScheduleBackfilled") },
      },
      codes: { 400: ["schedule.invalid"], 404: ["schedule.unknown"] },
    }),
    params: ScheduleParams,
    body: BackfillBody,
  };
  app.post<BySchedule & { readonly Body: BackfillBody }>(
    "/v1/schedules/:id/backfill",
    { onRequest, schema },
    async ({ params: { id }, body }, reply) => {
      const { actor, reason } = body;
      const range = readRange(body, Date.now());
      const schedule = await findSchedule(store, id);
      const all = passedInstants(schedule, range);
      const before = await firedIn(store, id, range);
      const instants = all.filter((instant) => !before.has(instant));
      if (instants.length > mostFired) throw tooMany(instants.length, "have not fired");
      const fired = instants.length === 0 ? [] : await fire(store, { id, instants, actor, reason });
      return reply.code(202).send({ fired, firedBefore: all.length - fired.length });
    },
  );
}

interface Range {
  readonly from: Instant;
  readonly to: Instant;
}

/** The earliest instant of a backfill: that at which Unix begins to count. */
const earliest: Instant = 0;

function readRange(body: Pick<BackfillBody, "from" | "to">, now: Instant): Range {
  const range = { from: parseInstant(body.from), to: parseInstant(body.to) };
  const unreadable = (["from", "to"] as const)
    .filter((field) => Number.isNaN(range[field]) || range[field] < earliest)
    .map((field) => ({
      pointer: `/${field}`,
      detail: "must be an instant with its zone, from 1970 on, such as 2026-11-24T10:00:00Z",
    }));
  const faults = [
    ...unreadable,
    ...(range.to > now
      ? [{ pointer: "/to", detail: "is in the future: those instants fire when they come" }]
      : []),
    ...(range.from > range.to ? [{ pointer: "/from", detail: "must not be after `to`" }] : []),
  ];
  if (faults.length === 0) return range;
  throw invalidSchedule(faults, "The instants of the backfill cannot be; see errors.");
}

/** The instants of a range that the schedule has passed: it deals with those to come itself. */
function passedInstants(
  { definition, next }: Pick<StoredSchedule, "next"> & { readonly definition: WholeSchedule },
  { from, to }: Range,
): readonly Instant[] {
  const last = next === null ? to : Math.min(to, Date.parse(next) - 1);
  const calendar = calendarOf(definition);
  const found: Instant[] = [];
  for (let at = calendar.after(from - 1); at !== null && at <= last; at = calendar.after(at)) {
    if (found.length === mostInstants) throw tooMany(mostInstants, "and more are in this time");
    found.push(at);
  }
  return found;
}

const tooMany = (count: number, are: string) =>
  new Problem(
    400,
    "schedule.invalid",
    `${count} instants ${are}, and at most ${mostFired} are submitted at a time: ask for a shorter time.`,
    [{ pointer: "/from", detail: `begins a time with ${count} instants or more` }],
    { count },
  );

/** The instants of a range for which there is a task, or will be by itself. */
async function firedIn(store: Store, id: string, { from, to }: Range): Promise<Set<Instant>> {
  const fired = new Set<Instant>();
  for (let after: string | null = String(to + 1); after !== null; ) {
    const page: Awaited<ReturnType<Store["findFires"]>> = await store.findFires({
      id,
      after,
      most: mostInstants,
    });
    const instants = page.items.map(({ instant, outcome }) => ({
      at: Date.parse(instant),
      isTaken: outcome === "fired" || outcome === "buffered",
    }));
    for (const { at, isTaken } of instants) if (isTaken) fired.add(at);
    const last = instants.at(-1)?.at ?? from;
    after = last <= from ? null : page.next;
  }
  return fired;
}
