import { limits } from "@holdfast/contracts";
import type { FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { isRowNumber } from "../api/query-parts.ts";

export const StreamQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({
      maxLength: limits.name,
      description: "For clients that cannot set the header Last-Event-ID.",
    }),
  ),
});

export interface Resuming {
  readonly Querystring: Static<typeof StreamQuery>;
}

/**
 * The entry of the history after which the client goes on, as it says; null: it says nothing, or
 * nothing that is one.
 */
export function lastEventId({
  headers,
  query,
}: Pick<FastifyRequest<Resuming>, "headers" | "query">): string | null {
  const shown = [headers["last-event-id"] ?? query.lastEventId ?? []].flat()[0] ?? "";
  return isRowNumber(shown) ? shown : null;
}
