import { limits } from "@holdfast/contracts";
import { printablePattern } from "@holdfast/domain";
import type { KeptLetter } from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { describe, ref } from "../api/describe.ts";
import { pageFields, sizeOf } from "../api/pages.ts";
import { rowNumber } from "../api/query-parts.ts";
import { WishBody } from "../wishes.ts";
import { mustBeSettled } from "./must-be-settled.ts";
import { printableBody } from "./printable-body.ts";
import { type ReplayDependencies, replayLetter } from "./replay-letter.ts";
import { type ReplayRules, replayOf } from "./replay-of.ts";

interface Dependencies extends ReplayDependencies {
  readonly onRequest: onRequestAsyncHookHandler;
}

const path = "/v1/dead-letters";
/** Bytes of a body that a list has. */
const shown = 4_096;
const pages = { usual: 20, most: 100 };

const LettersQuery = Type.Object(
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
const LetterParams = Type.Object({
  id: Type.String({ ...rowNumber, description: "The number of the dead letter." }),
});
interface Acting {
  readonly Params: Static<typeof LetterParams>;
  readonly Body: Static<typeof WishBody>;
}

/** Messages that no service could use: operators look at them, send them once more, or discard them. */
export function letterRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { store, onRequest } = deps;
  listRoute(app, deps);
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
      params: LetterParams,
      body: WishBody,
    };
    app.post<Acting>(
      `${path}/:id/${action}`,
      { onRequest, schema },
      async ({ params: { id }, body }, reply) => {
        const wish = { id, action, ...body };
        if (action === "replay") await replayLetter(wish, deps);
        else mustBeSettled(wish, await store.settleDeadLetter(wish));
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

function listRoute(app: FastifyInstance, { store, onRequest, replays }: Dependencies): void {
  const schema = {
    ...describe({
      id: "listDeadLetters",
      tag: "service",
      summary: "Messages that no service could use, latest first, a page at a time.",
      answers: { "200": { words: "A page.", schema: ref("DeadLetterPage") } },
    }),
    querystring: LettersQuery,
  };
  app.get<{ readonly Querystring: Static<typeof LettersQuery> }>(
    path,
    { onRequest, schema },
    async ({ query: { queue = null, limit, after = null } }) => {
      const most = sizeOf(limit, pages);
      const found = await store.findDeadLetters({ queue, before: after, most, shown });
      const next = found.length < most ? null : (found.at(-1)?.id ?? null);
      return { items: found.map((letter) => letterResource(letter, replays)), next };
    },
  );
}

function actionsRoute(app: FastifyInstance, { store, onRequest }: Dependencies): void {
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

function letterResource(letter: KeptLetter, replays: ReplayRules) {
  const { body, properties: _properties, kept: _kept, age: _age, ...known } = letter;
  const replay = replayOf(letter, replays);
  return {
    ...known,
    body: printableBody(body, { isCut: body.length < letter.size }),
    replayable: replay.kind === "possible",
    whyNot: replay.kind === "possible" ? null : replay.reason,
  };
}
