import {
  localTime,
  nextInstants,
  Schedule,
  type Schedule as ScheduleBody,
  scheduleIdPattern,
} from "@holdfast/contracts";
import type { StoredSchedule } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { operatorName } from "../access/operator-names.ts";
import { storableName } from "../act-body.ts";
import { describe, ref } from "../api/describe.ts";
import { examples } from "../api/examples.ts";
import { pageFields, sizeOf } from "../api/pages.ts";
import {
  type BySchedule,
  findSchedule,
  type ScheduleDependencies,
  ScheduleParams,
  unknownSchedule,
} from "./find-schedule.ts";
import { mustBeSchedule } from "./read-schedule.ts";
import { actRoutes } from "./schedule-acts.ts";

/** Stores, shows and deletes schedules, and acts on them: for operators. */
export function scheduleRoutes(app: FastifyInstance, deps: ScheduleDependencies): void {
  putRoute(app, deps);
  showRoutes(app, deps);
  deleteRoute(app, deps);
  instantsRoute(app, deps);
  firesRoute(app, deps);
  actRoutes(app, deps);
}

const ActorQuery = Type.Object({
  actor: Type.Optional(Type.String({ ...storableName, description: "Who does it." })),
});
interface Naming extends BySchedule {
  readonly Querystring: Static<typeof ActorQuery>;
}

const path = "/v1/schedules/:id";
const stored = {
  words: "It is stored.",
  schema: ref("StoredSchedule"),
  headers: ["location"],
} as const;

function putRoute(
  app: FastifyInstance,
  { store, directory, onRequest }: ScheduleDependencies,
): void {
  const schema = {
    ...describe({
      id: "putSchedule",
      tag: "schedules",
      summary: "Stores a schedule, or changes it. 201 when it is new, 200 when it was there.",
      description:
        "It submits a task at each instant of its calendar from now on. The same definition again changes nothing; another one counts from now on, and one that is paused stays so. The input is checked as it will be at the next instant.",
      answers: { "200": stored, "201": stored },
      codes: {
        400: ["schedule.invalid"],
        404: ["workflow.unknown"],
        410: ["workflow.retired"],
        500: ["workflow.unusable"],
      },
    }),
    params: ScheduleParams,
    querystring: ActorQuery,
    body: { ...Schedule, examples: [examples.schedule] },
  };
  app.put<Naming & { readonly Body: ScheduleBody }>(
    path,
    { onRequest, schema },
    async ({ params: { id }, query, body: schedule, log }, reply) => {
      await mustBeSchedule(directory, { id, schedule, now: Date.now() });
      const known = await store.findSchedules({ id, after: null, most: 1 });
      const actor = operatorName(query.actor ?? "unnamed");
      const isChanged = await store.putSchedule({ id, schedule, actor });
      log.info({ schedule: id, workflow: schedule.workflow, actor, isChanged }, "schedule stored");
      return reply
        .code(isChanged && known.items.length === 0 ? 201 : 200)
        .header("location", `/v1/schedules/${encodeURIComponent(id)}`)
        .send(await findSchedule(store, id));
    },
  );
}

const pages = { usual: 50, most: 100 };
const ListQuery = Type.Object(pageFields(pages, { maxLength: 100, pattern: scheduleIdPattern }), {
  additionalProperties: false,
});

function showRoutes(app: FastifyInstance, { store, onRequest }: ScheduleDependencies): void {
  const list = {
    ...describe({
      id: "listSchedules",
      tag: "schedules",
      summary: "The schedules, without the inputs of their tasks.",
      description: "By their ids, a page at a time.",
      answers: { "200": { words: "A page.", schema: ref("Schedules") } },
    }),
    querystring: ListQuery,
  };
  app.get<{ readonly Querystring: Static<typeof ListQuery> }>(
    "/v1/schedules",
    { onRequest, schema: list },
    async ({ query: { limit, after = null } }) => {
      const asked = { id: null, after, most: sizeOf(limit, pages) };
      const { items, next } = await store.findSchedules(asked);
      return { items: items.map(listed), next };
    },
  );

  const show = {
    ...describe({
      id: "getSchedule",
      tag: "schedules",
      summary: "A schedule: when it fires, and how it stands.",
      answers: { "200": { words: "The schedule.", schema: ref("StoredSchedule") } },
      codes: { 404: ["schedule.unknown"] },
    }),
    params: ScheduleParams,
  };
  app.get<BySchedule>(path, { onRequest, schema: show }, ({ params: { id } }) =>
    findSchedule(store, id),
  );
}

function listed({ definition: { input: _input, ...definition }, ...schedule }: StoredSchedule) {
  return { ...schedule, definition };
}

function deleteRoute(app: FastifyInstance, { store, onRequest }: ScheduleDependencies): void {
  const schema = {
    ...describe({
      id: "deleteSchedule",
      tag: "schedules",
      summary: "Deletes a schedule. Its tasks go on.",
      description: "What became of its instants is kept as long as records are.",
      answers: { "204": { words: "Done." } },
      codes: { 404: ["schedule.unknown"] },
    }),
    params: ScheduleParams,
    querystring: ActorQuery,
  };
  app.delete<Naming>(path, { onRequest, schema }, async ({ params: { id }, query, log }, reply) => {
    if (!(await store.deleteSchedule({ id }))) throw unknownSchedule(id);
    const actor = operatorName(query.actor ?? "unnamed");
    log.info({ schedule: id, actor }, "schedule deleted");
    return reply.code(204).send();
  });
}

const instants = { usual: 10, most: 100 };
const InstantsQuery = Type.Object(
  {
    count: Type.Optional(
      Type.String({
        maxLength: 3,
        pattern: "^([1-9][0-9]?|100)$",
        description: `How many: 1 to ${instants.most}, and ${instants.usual} unless it is set.`,
      }),
    ),
  },
  { additionalProperties: false },
);

function instantsRoute(app: FastifyInstance, { store, onRequest }: ScheduleDependencies): void {
  const schema = {
    ...describe({
      id: "listScheduleInstants",
      tag: "schedules",
      summary: "The instants of a schedule that come next, also as clocks of its zone show them.",
      description: "Of one that is paused, those that come from now on by its calendar.",
      answers: { "200": { words: "The instants.", schema: ref("ScheduleInstants") } },
      codes: { 404: ["schedule.unknown"] },
    }),
    params: ScheduleParams,
    querystring: InstantsQuery,
  };
  app.get<BySchedule & { readonly Querystring: Static<typeof InstantsQuery> }>(
    `${path}/next`,
    { onRequest, schema },
    async ({ params: { id }, query }) => {
      const { definition, next, paused } = await findSchedule(store, id);
      const { zone } = definition;
      const after = next === null ? Date.now() : Date.parse(next) - 1;
      const found = nextInstants(definition, after, Number(query.count ?? instants.usual));
      return {
        zone,
        paused: paused !== null,
        items: found.map((instant) => ({
          instant: new Date(instant).toISOString(),
          local: localTime(zone, instant),
        })),
        next: null,
      };
    },
  );
}

const firePages = { usual: 100, most: 500 };
/** An instant in milliseconds, as the page before names it. */
const instantCursor = { maxLength: 20, pattern: "^-?[0-9]{1,14}([.][0-9]{1,4})?$" };
const FiresQuery = Type.Object(pageFields(firePages, instantCursor), {
  additionalProperties: false,
});

function firesRoute(app: FastifyInstance, { store, onRequest }: ScheduleDependencies): void {
  const schema = {
    ...describe({
      id: "listFires",
      tag: "schedules",
      summary: "What became of the instants of a schedule, the latest first, a page at a time.",
      description: "Also of one that was deleted, for as long as records are kept.",
      answers: { "200": { words: "A page.", schema: ref("ScheduleFires") } },
      codes: { 404: ["schedule.unknown"] },
    }),
    params: ScheduleParams,
    querystring: FiresQuery,
  };
  app.get<BySchedule & { readonly Querystring: Static<typeof FiresQuery> }>(
    `${path}/fires`,
    { onRequest, schema },
    async ({ params: { id }, query: { limit, after = null } }) => {
      const page = await store.findFires({ id, after, most: sizeOf(limit, firePages) });
      if (page.items.length === 0 && after === null) await findSchedule(store, id);
      return page;
    },
  );
}
