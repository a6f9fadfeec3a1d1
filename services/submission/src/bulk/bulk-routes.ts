import { isId } from "@holdfast/domain";
import type { BulkOperation } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import { ActBody } from "../act-body.ts";
import { describe, ref } from "../api/describe.ts";
import { nextAfter, readCursor, sizeOf } from "../api/pages.ts";
import { Problem } from "../problem.ts";
import { BulkItemsQuery, BulkListQuery, BulkParams, bulkPages } from "./bulk-body.ts";
import type { BulkDependencies } from "./bulk-dependencies.ts";
import { bulkItemResource, bulkResource } from "./bulk-resource.ts";
import { createBulkRoute } from "./create-bulk-route.ts";

const tenant = "default";
const path = "/v1/bulk-operations";
const unknown = { 404: ["bulk.unknown"] } as const;

interface ById {
  readonly Params: { readonly id: string };
}

/**
 * One action on many tasks, which the Supervisors work off: created, looked at and stopped here.
 */
export function bulkRoutes(app: FastifyInstance, deps: BulkDependencies): void {
  createBulkRoute(app, deps);
  listRoute(app, deps);
  itemsRoute(app, deps);
  stopRoute(app, deps);
  app.get<ById>(
    `${path}/:id`,
    {
      onRequest: deps.onRequest,
      schema: {
        ...describe({
          id: "getBulkOperation",
          tag: "bulk",
          summary: "A bulk operation, and how far it is.",
          answers: { "200": { words: "As it stands.", schema: ref("BulkOperation") } },
          codes: unknown,
        }),
        params: BulkParams,
      },
    },
    async ({ params }) => bulkResource(await mustFind(deps.store, params.id)),
  );
}

function listRoute(app: FastifyInstance, { store, onRequest }: BulkDependencies): void {
  app.get<{ Querystring: Static<typeof BulkListQuery> }>(
    path,
    {
      onRequest,
      schema: {
        ...describe({
          id: "listBulkOperations",
          tag: "bulk",
          summary: "Bulk operations, latest first, a page at a time.",
          answers: { "200": { words: "A page.", schema: ref("BulkOperationPage") } },
        }),
        querystring: BulkListQuery,
      },
    },
    async ({ query: { limit, after } }) => {
      const most = sizeOf(limit, bulkPages);
      const before = readCursor(after, isId);
      const found = await store.listBulkOperations({ tenant, before, most });
      return { items: found.map(bulkResource), next: nextAfter(found, most, ({ id }) => id) };
    },
  );
}

function itemsRoute(app: FastifyInstance, { store, onRequest }: BulkDependencies): void {
  app.get<ById & { readonly Querystring: Static<typeof BulkItemsQuery> }>(
    `${path}/:id/items`,
    {
      onRequest,
      schema: {
        ...describe({
          id: "listBulkItems",
          tag: "bulk",
          summary: "The tasks of a bulk operation and what became of each, a page at a time.",
          description:
            "An item is `succeeded` only when its task has ended as the action intends, or its step got beyond the failure.",
          answers: { "200": { words: "A page.", schema: ref("BulkItemPage") } },
          codes: unknown,
        }),
        params: BulkParams,
        querystring: BulkItemsQuery,
      },
    },
    async ({ params: { id }, query: { outcome = null, limit, after } }) => {
      await mustFind(store, id);
      const most = sizeOf(limit, bulkPages);
      const place = Number(readCursor(after, isItemNumber) ?? 0);
      const found = await store.listBulkItems({ id, outcome, after: place, most });
      const next = nextAfter(found, most, ({ number }) => String(number));
      return { items: found.map(bulkItemResource), next };
    },
  );
}

function stopRoute(app: FastifyInstance, { store, onRequest }: BulkDependencies): void {
  app.post<ById & { readonly Body: Static<typeof ActBody> }>(
    `${path}/:id/stop`,
    {
      onRequest,
      schema: {
        ...describe({
          id: "stopBulkOperation",
          tag: "bulk",
          summary: "Applies no further item of a bulk operation; what was applied stays applied.",
          answers: { "200": { words: "As it stands then.", schema: ref("BulkOperation") } },
          codes: { ...unknown, 409: ["bulk.has_ended"] },
        }),
        params: BulkParams,
        body: ActBody,
      },
    },
    async ({ params: { id }, body }) => {
      await mustFind(store, id);
      const isStopped = await store.stopBulkOperation({ tenant, id, ...body });
      const operation = await mustFind(store, id);
      if (isStopped) return bulkResource(operation);
      throw new Problem(409, "bulk.has_ended", `The bulk operation is ${operation.state} already.`);
    },
  );
}

async function mustFind(store: BulkDependencies["store"], id: string): Promise<BulkOperation> {
  const found = isId(id) ? await store.findBulkOperation({ tenant, id }) : null;
  if (found !== null) return found;
  throw new Problem(404, "bulk.unknown", `There is no bulk operation ${id}.`);
}

const isItemNumber = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text);
