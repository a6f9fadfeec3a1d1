import { limits } from "@holdfast/contracts";
import { printablePattern } from "@holdfast/domain";
import type { KeptDeadLetter } from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { ActBody } from "../act-body.ts";
import { describe, ref } from "../api/describe.ts";
import { pageFields, sizeOf } from "../api/pages.ts";
import { rowNumber } from "../api/query-parts.ts";
import { roomFor } from "../room.ts";
import { mustBeClosed, noDeadLetter } from "./must-be-closed.ts";
import { printableBody } from "./printable-body.ts";
import { type ReplayDependencies, replayDeadLetter } from "./replay-dead-letter.ts";
import { type ReplayRules, replayOf } from "./replay-of.ts";

interface DeadLetterDependencies extends ReplayDependencies {
  readonly onRequest: onRequestAsyncHookHandler;
}

const path = "/v1/dead-letters";
/** Bytes of a body that a list has. */
const shown = 4_096;
/**
 * Bytes of a body that is shown alone: those of the largest message, unless a setting allows more.
 */
const shownAlone = limits.messageBytes;
/**
 * What a byte of a body takes at most: itself, its text, and the answer, in which it may be
 * escaped.
 */
const roomOfByte = 8;
const pages = { usual: 20, most: 100 };

const DeadLettersQuery = Type.Object(
  {
    queue: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.property,
        pattern: printablePattern,
        description: "Where they were found.",
      }),
    ),
    ...pageFields(pages, rowNumber),
  },
  { additionalProperties: false },
);
const actionPages = { usual: 100, most: 500 };
const ActionsQuery = Type.Object(pageFields(actionPages, rowNumber), {
  additionalProperties: false,
});
const DeadLetterParams = Type.Object({
  id: Type.String({ ...rowNumber, description: "The number of the dead letter." }),
});
interface Acting {
  readonly Params: Static<typeof DeadLetterParams>;
  readonly Body: Static<typeof ActBody>;
}

/**
 * Messages that no service could use: operators look at them, send them once more, or discard them.
 */
export function deadLetterRoutes(app: FastifyInstance, deps: DeadLetterDependencies): void {
  const { store, onRequest } = deps;
  listRoute(app, deps);
  getRoute(app, deps);
  actionsRoute(app, deps);
  const act = (action: "replay" | "discard", words: { summary: string; description: string }) => {
    const schema = {
      ...describe({
        id: `${action}DeadLetter`,
        tag: "service",
        ...words,
        answers: { "204": { words: "Done." } },
        codes:
          action === "discard"
            ? { 404: ["message.unknown"], 409: ["message.settled"] }
            : {
                404: ["message.unknown"],
                409: ["message.not_replayable", "message.settled", "message.unroutable"],
                503: ["broker.unconfirmed"],
              },
      }),
      params: DeadLetterParams,
      body: ActBody,
    };
    app.post<Acting>(
      `${path}/:id/${action}`,
      { onRequest, schema },
      async ({ params: { id }, body }, reply) => {
        const request = { id, action, ...body };
        if (action === "replay") await replayDeadLetter(request, deps);
        else mustBeClosed(request, await store.closeDeadLetter(request));
        return reply.code(204).send();
      },
    );
  };
  act("replay", {
    summary: "Sends a dead letter once more, as it came.",
    description:
      "Only submissions and replies can be sent once more; `replayable` says which. It is gone from the list once a queue has it, and comes back if what made it a dead letter is still there. Asking again does no harm: it is sent under its own message id.",
  });
  act("discard", {
    summary: "Deletes a dead letter for good.",
    description: "Who did it and why stays in `GET /v1/dead-letter-actions`.",
  });
}

function listRoute(
  app: FastifyInstance,
  { store, onRequest, replays }: DeadLetterDependencies,
): void {
  const schema = {
    ...describe({
      id: "listDeadLetters",
      tag: "service",
      summary: "Messages that no service could use, latest first, a page at a time.",
      answers: { "200": { words: "A page.", schema: ref("DeadLetterPage") } },
    }),
    querystring: DeadLettersQuery,
  };
  app.get<{ readonly Querystring: Static<typeof DeadLettersQuery> }>(
    path,
    { onRequest, schema },
    async ({ query: { queue = null, limit, after = null } }) => {
      const most = sizeOf(limit, pages);
      const found = await store.findDeadLetters({ queue, before: after, most, shown });
      const next = found.length < most ? null : (found.at(-1)?.id ?? null);
      return { items: found.map((deadLetter) => deadLetterResource(deadLetter, replays)), next };
    },
  );
}

function getRoute(
  app: FastifyInstance,
  { store, onRequest, replays }: DeadLetterDependencies,
): void {
  const schema = {
    ...describe({
      id: "getDeadLetter",
      tag: "service",
      summary: "A message that no service could use, with the first MiB of its body.",
      answers: { "200": { words: "The dead letter.", schema: ref("DeadLetter") } },
      codes: { 404: ["message.unknown"] },
    }),
    params: DeadLetterParams,
  };
  app.get<{ readonly Params: Static<typeof DeadLetterParams> }>(
    `${path}/:id`,
    { onRequest, schema },
    async (request, reply) => {
      const id = BigInt(request.params.id);
      await roomFor(request, reply)(shownAlone * roomOfByte);
      const before = String(id + 1n);
      const page = { queue: null, before, most: 1, shown: shownAlone };
      const [found] = await store.findDeadLetters(page);
      if (found?.id !== String(id)) throw noDeadLetter(String(id));
      return deadLetterResource(found, replays);
    },
  );
}

function actionsRoute(app: FastifyInstance, { store, onRequest }: DeadLetterDependencies): void {
  const schema = {
    ...describe({
      id: "listDeadLetterActions",
      tag: "service",
      summary:
        "Which dead letters were sent once more or discarded, by whom and why, latest first, a page at a time.",
      answers: { "200": { words: "A page.", schema: ref("DeadLetterActions") } },
    }),
    querystring: ActionsQuery,
  };
  app.get<{ readonly Querystring: Static<typeof ActionsQuery> }>(
    "/v1/dead-letter-actions",
    { onRequest, schema },
    async ({ query: { limit, after = null } }) => {
      const most = sizeOf(limit, actionPages);
      const items = await store.findDeadLetterActions({ after, most });
      return { items, next: items.length < most ? null : (items.at(-1)?.id ?? null) };
    },
  );
}

function deadLetterResource(deadLetter: KeptDeadLetter, replays: ReplayRules) {
  const { body, properties: _properties, kept: _kept, age: _age, ...known } = deadLetter;
  const replay = replayOf(deadLetter, replays);
  return {
    ...known,
    body: printableBody(body, { isCut: body.length < deadLetter.size }),
    replayable: replay.kind === "possible",
    whyNot: replay.kind === "possible" ? null : replay.reason,
  };
}
