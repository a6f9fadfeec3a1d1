import { agentsOfLane, type FaultCode, namesLike } from "@holdfast/domain";
import type { OperationsStore, PauseTarget } from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { ActBody, NameParams } from "../act-body.ts";
import { describe, ref } from "../api/describe.ts";
import { nextAfter, pageFields, readCursor, sizeOf } from "../api/pages.ts";
import { isRowNumber } from "../api/query-parts.ts";
import { Problem } from "../problem.ts";

interface PauseDependencies {
  readonly store: OperationsStore;
  readonly hint: () => void;
  readonly onRequest: onRequestAsyncHookHandler;
}

const summaries = {
  pause: {
    agent: "Claims no further step of this Agent.",
    workflow: "Claims no further step of this workflow's tasks.",
  },
  resume: { agent: "Ends the pause of an Agent.", workflow: "Ends the pause of a workflow." },
} as const;

interface ByName {
  readonly Params: { readonly name: string };
}

/** Agents that stored workflows name. */
const knownAgents = async (store: OperationsStore): Promise<readonly string[]> => [
  ...new Set((await store.findLanes()).flatMap(agentsOfLane)),
];

/**
 * Pauses an Agent or a workflow: none of its steps is claimed until it is resumed. Lists what is
 * paused.
 */
export function pauseRoutes(
  app: FastifyInstance,
  { store, hint, onRequest }: PauseDependencies,
): void {
  for (const kind of ["agent", "workflow"] as const) {
    const known = (): Promise<readonly string[]> =>
      kind === "agent" ? knownAgents(store) : store.findWorkflowNames();
    const onTarget = (act: "pause" | "resume", refusal: FaultCode): void => {
      app.post<ByName & { readonly Body: Static<typeof ActBody> }>(
        `/v1/${kind}s/:name/${act}`,
        {
          onRequest,
          schema: {
            ...describe({
              id: `${act}${kind === "agent" ? "Agent" : "Workflow"}`,
              tag: `${kind}s`,
              summary: summaries[act][kind],
              answers: { "204": { words: "Done." } },
              codes: { 404: [`${kind}.unknown`], 409: [refusal] },
            }),
            params: NameParams,
            body: ActBody,
          },
        },
        async ({ params, body }, reply) => {
          const target: PauseTarget = { kind, name: params.name };
          // What is paused can always be resumed, also when no workflow names it any more.
          if (act === "pause") mustBeKnown(target, await known());
          if (!(await store[act]({ ...target, ...body }))) {
            mustBeKnown(target, await known());
            throw new Problem(409, refusal, pauseRefusals[refusal] ?? "");
          }
          if (act === "resume") hint();
          return reply.code(204).send();
        },
      );
    };
    onTarget("pause", "pause.in_force");
    onTarget("resume", "pause.not_in_force");
  }

  listRoute(app, { store, onRequest });
}

const pages = { usual: 100, most: 500 };
const PausesQuery = Type.Object(pageFields(pages), { additionalProperties: false });

function listRoute(
  app: FastifyInstance,
  { store, onRequest }: Pick<PauseDependencies, "store" | "onRequest">,
): void {
  const schema = {
    ...describe({
      id: "listPauses",
      tag: "service",
      summary: "What is paused, and what was, latest first, a page at a time.",
      answers: { "200": { words: "A page.", schema: ref("Pauses") } },
    }),
    querystring: PausesQuery,
  };
  app.get<{ Querystring: Static<typeof PausesQuery> }>(
    "/v1/pauses",
    { onRequest, schema },
    async ({ query: { limit, after } }) => {
      const most = sizeOf(limit, pages);
      const found = await store.findPauses({ before: readCursor(after, isRowNumber), most });
      return {
        items: found.map(({ id: _id, ...shown }) => shown),
        next: nextAfter(found, most, ({ id }) => id),
      };
    },
  );
}

function mustBeKnown({ kind, name: asked }: PauseTarget, known: readonly string[]): void {
  if (known.includes(asked)) return;
  const [what, code] =
    kind === "agent"
      ? (["Agent", "agent.unknown"] as const)
      : (["workflow", "workflow.unknown"] as const);
  const like = namesLike(asked, known).join(", ");
  const hint = like === "" ? "No workflow is stored yet." : `Did you mean one of these: ${like}?`;
  throw new Problem(404, code, `No stored workflow names the ${what} ${asked}. ${hint}`);
}

const pauseRefusals: Readonly<Record<string, string>> = {
  "pause.in_force": "It is paused already.",
  "pause.not_in_force": "It is not paused.",
};
