import { createHash } from "node:crypto";
import { isVisible } from "@holdfast/contracts";
import { canonicalJson } from "@holdfast/domain";
import type { BulkAsked, NewBulkOperation } from "@holdfast/state-store";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Codes } from "../api/codes.ts";
import { describe, ref } from "../api/describe.ts";
import { mustBeStorable } from "../operators/must-be-storable.ts";
import { invalidRequest, Problem } from "../problem.ts";
import { filterOfBody } from "../search/search-body.ts";
import { withVersions } from "../search/with-versions.ts";
import { keyInvalid, keyReused } from "../submit-problems.ts";
import { BulkBody, usualRate } from "./bulk-body.ts";
import type { BulkDependencies } from "./bulk-dependencies.ts";
import { bulkResource } from "./bulk-resource.ts";

const tenant = "default";
/** Each looks at half a million tasks at most. */
const atATime = 2;

const Headers = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({ description: "The same key stands for the same operation." }),
  ),
});

const codes: Codes = {
  400: ["request.idempotency_key_invalid"],
  404: ["bulk.unknown"],
  422: ["bulk.filter_missing", "bulk.too_many_tasks", "request.idempotency_key_reused"],
  429: ["bulk.too_many_open"],
};

/** Creates a bulk operation on the tasks that match now, or with `dryRun` says what it would do. */
export function createBulkRoute(app: FastifyInstance, deps: BulkDependencies): void {
  const { store, directory, onRequest } = deps;
  const oneOfFew = limitTo(atATime);
  app.post<{ readonly Body: BulkBody }>(
    "/v1/bulk-operations",
    {
      onRequest,
      schema: {
        ...describe({
          id: "createBulkOperation",
          tag: "bulk",
          summary: "Creates a bulk operation: one action on all tasks that match now.",
          description:
            "At most 100,000 tasks. The filter is that of a search, with at least one condition. `canary`: so many tasks first, and the others only if these succeed. `rate`: tasks a second, 10 unless said otherwise. With `dryRun` nothing is created. With an Idempotency-Key the same request stands for the same operation.",
          answers: {
            "200": { words: "What it would do: with `dryRun`.", schema: ref("BulkForecast") },
            "202": {
              words: "It is durable, and worked off.",
              schema: ref("BulkOperation"),
              headers: ["location", "idempotency-replayed"],
            },
          },
          codes,
        }),
        headers: Headers,
        body: BulkBody,
      },
    },
    async (request, reply) => {
      const { body } = request;
      const asked = askedOf(body);
      const filter = await withVersions(filterOfBody({ filter: body.filter }), directory);
      mustSayWhich(filter);
      return oneOfFew(async () => {
        if (body.dryRun === true) {
          const forecast = await store.forecastBulkOperation({ tasks: filter, asked });
          return forecast ?? refuse(tooManyTasks);
        }
        const wanted = requestOf(request, asked);
        const created = await store.createBulkOperation({ tasks: filter, request: wanted });
        if (created.kind === "conflict")
          return refuse(() => keyReused("Idempotency-Key", "bulk operation"));
        if (created.kind === "tooManyTasks") return refuse(tooManyTasks);
        if (created.kind === "tooManyOpen") {
          void reply.header("retry-after", "60");
          return refuse(() => tooManyOpen(created.most));
        }
        if (created.kind === "replayed") void reply.header("idempotency-replayed", "true");
        const operation = await store.findBulkOperation({ tenant, id: created.id });
        if (operation === null) return refuse(() => gone(created.id));
        void reply.header("location", `/v1/bulk-operations/${created.id}`);
        return reply.code(202).send(bulkResource(operation));
      });
    },
  );
}

function askedOf(body: BulkBody): BulkAsked {
  const { action, output, patch } = body;
  const step = body.step ?? null;
  if (action !== "resolve" && output !== undefined) {
    throw invalid("/output", "only a resolved step has one");
  }
  if (action !== "resubmit" && patch !== undefined) {
    throw invalid("/patch", "only a resubmitted step has an input to change");
  }
  if (step !== null && !["resubmit", "resolve", "retryNow"].includes(action)) {
    throw invalid("/step", `${action} is about the task as a whole`);
  }
  if (output !== undefined) mustBeStorable(output, "output");
  return { action, step, output, patch };
}

const invalid = (pointer: string, detail: string): Problem => invalidRequest([{ pointer, detail }]);

function mustSayWhich(filter: ReturnType<typeof filterOfBody>): void {
  const { conditions, createdFrom, createdBefore, fingerprint = null, text = null } = filter;
  const others = [createdFrom, createdBefore, fingerprint, text];
  if (conditions.length > 0 || others.some((one) => one !== null)) return;
  throw new Problem(
    422,
    "bulk.filter_missing",
    "Say in filter which tasks: for all that are open, state: open.",
  );
}

function requestOf(
  { headers, body }: FastifyRequest<{ Body: BulkBody }>,
  asked: BulkAsked,
): NewBulkOperation {
  const key = headers["idempotency-key"] ?? null;
  if (key !== null && !isVisible(String(key))) throw keyInvalid();
  const { actor, reason, filter, canary = 0, rate = usualRate } = body;
  const hash = createHash("sha256").update(canonicalJson(body)).digest("hex");
  return {
    ...asked,
    tenant,
    filter,
    actor,
    reason,
    canary,
    rate,
    key: key === null ? null : String(key),
    hash,
  };
}

function refuse(problem: () => Problem): never {
  throw problem();
}

const tooManyTasks = () =>
  new Problem(
    422,
    "bulk.too_many_tasks",
    "More than 100,000 tasks match, or the filter looks at more than 500,000: narrow it by state, createdAt or workflow.",
  );
const tooManyOpen = (most: number) =>
  new Problem(
    429,
    "bulk.too_many_open",
    `${most} bulk operations are open: wait until one has ended, or stop one.`,
  );
const gone = (id: string) =>
  new Problem(404, "bulk.unknown", `The bulk operation ${id} was deleted meanwhile.`);

/**
 * Refuses what comes while so many are at it: each reads many tasks, and other routes need the
 * store, too.
 */
function limitTo(most: number) {
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= most) {
      throw new Problem(
        503,
        "request.overload",
        "Other bulk operations are being created: send the same request again, with the same Idempotency-Key.",
      );
    }
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
}
