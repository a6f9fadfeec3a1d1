import { type FaultCode, namesLike } from "@holdfast/domain";
import type { OperationsStore, RemoteRecord } from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import type { Static } from "typebox";
import { ActBody, NameParams } from "../act-body.ts";
import { describe, ref } from "../api/describe.ts";
import { Problem } from "../problem.ts";

interface RemoteDependencies {
  readonly store: OperationsStore;
  readonly hint: () => void;
  readonly onRequest: onRequestAsyncHookHandler;
}

interface Act {
  readonly name: "hold" | "release";
  readonly summary: string;
  readonly apply: OperationsStore["closeBreaker"];
  readonly refusal: FaultCode;
  readonly why: string;
}

/**
 * Remote services and their circuit breakers. An operator holds a service, and no step of its
 * Agents is claimed until an operator releases it; or releases one that failed, which closes its
 * breaker. Its steps follow in growing numbers.
 */
export function remoteRoutes(
  app: FastifyInstance,
  { store, hint, onRequest }: RemoteDependencies,
): void {
  const schema = describe({
    id: "listRemotes",
    tag: "remotes",
    summary: "The remote services, their circuit breakers, and the due steps that these hold back.",
    answers: { "200": { words: "All of them.", schema: ref("Remotes") } },
  });
  app.get("/v1/remotes", { onRequest, schema }, async () => ({
    items: (await store.findRemotes()).map(remoteResource),
    // There are no more than Agents of stored workflows.
    next: null,
  }));
  const acts: readonly Act[] = [
    {
      name: "hold",
      summary: "Holds back the steps of a remote service, until an operator releases it.",
      apply: store.holdBreakerOpen,
      refusal: "breaker.held",
      why: "An operator holds it already.",
    },
    {
      name: "release",
      summary:
        "Ends the hold of a remote service, or closes the breaker of one that failed; its steps are released in growing numbers.",
      apply: store.closeBreaker,
      refusal: "breaker.closed",
      why: "Its breaker is closed, and it did not ask to be left alone.",
    },
  ];
  for (const { name, summary, apply, refusal, why } of acts) {
    app.post<{ Params: { name: string }; Body: Static<typeof ActBody> }>(
      `/v1/remotes/:name/${name}`,
      {
        onRequest,
        schema: {
          ...describe({
            id: `${name}Remote`,
            tag: "remotes",
            summary,
            answers: { "204": { words: "Done." } },
            codes: { 404: ["breaker.unknown"], 409: [refusal] },
          }),
          params: NameParams,
          body: ActBody,
        },
      },
      async ({ params: { name: service }, body }, reply) => {
        mustBeKnown(service, await store.findRemotes());
        if (!(await apply({ service, ...body }))) throw new Problem(409, refusal, why);
        hint();
        return reply.code(204).send();
      },
    );
  }
}

const remoteResource = ({ service, state, probeTaskId, probeStep, ...remote }: RemoteRecord) => ({
  name: service,
  breaker: state,
  ...remote,
  probe: probeTaskId === null ? null : { taskId: probeTaskId, step: probeStep },
});

function mustBeKnown(asked: string, remotes: readonly RemoteRecord[]): void {
  const known = remotes.map(({ service }) => service);
  if (known.includes(asked)) return;
  const like = namesLike(asked, known).join(", ");
  const hint = like === "" ? "No workflow is stored yet." : `Did you mean one of these: ${like}?`;
  throw new Problem(404, "breaker.unknown", `No Agent calls a remote service ${asked}. ${hint}`);
}
