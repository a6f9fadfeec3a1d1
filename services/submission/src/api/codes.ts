import type { FaultCode } from "@holdfast/domain";
import type { FastifyInstance, RouteOptions } from "fastify";
import { tokenRefusals } from "../bearer.ts";

/** Codes of refusals, by the status of the answer. */
export type Codes = Readonly<Record<number, readonly FaultCode[]>>;

/** What the server refuses before a route has the request, or because of what the route is. */
const ofAll: Codes = {
  400: ["request.malformed", "request.url_invalid"],
  408: ["request.timeout"],
  414: ["request.url_too_long"],
  415: ["request.charset_unsupported", "request.content_encoding_unsupported"],
  417: ["request.expectation_failed"],
  421: ["request.misdirected"],
  422: ["request.invalid"],
  431: ["request.headers_too_large"],
  500: ["request.failed"],
  503: ["request.overload"],
};
const withBody: Codes = {
  400: ["request.empty", "request.not_json"],
  413: ["request.too_large"],
  415: ["request.media_type_unsupported"],
};
/** Codes of routes that operators alone may ask. */
export const codesOfOperators: Codes = {
  401: [...tokenRefusals],
  403: ["access.denied", "auth.disabled"],
  429: ["auth.too_many_tries"],
  503: ["auth.issuer_unavailable"],
};
/** Codes of routes that ask who sends a request, and take strangers. */
export const codesOfSenders: Codes = {
  401: ["auth.token_wrong"],
  403: ["access.denied"],
  429: ["auth.too_many_tries"],
  503: ["auth.issuer_unavailable"],
};
const ofStore: Codes = {
  503: ["store.contention", "store.outcome_unknown", "store.unavailable"],
};
const ofCollection: Codes = { 404: ["request.no_route"] };

/** The schema of a route, as far as its codes follow from it. */
interface RouteSchema {
  readonly body?: unknown;
  readonly params?: unknown;
  readonly security?: readonly object[];
  readonly "x-codes"?: Codes;
}

/** The codes that a route has because of what it is. */
export function commonCodes({ url, schema }: { url: string; schema: RouteSchema }): Codes {
  const { body, params, security = [] } = schema;
  const isForPrincipals = security.some((one) => "principal" in one);
  const isForOperators = security.length > 0 && !isForPrincipals;
  // A probe, or settings: it reads nothing.
  const isFixed = security.length === 0 && body === undefined && params === undefined;
  return mergedCodes([
    ofAll,
    ...(body === undefined ? [] : [withBody]),
    ...(isForOperators ? [codesOfOperators] : []),
    ...(isForPrincipals ? [codesOfSenders, { 401: tokenRefusals }] : []),
    ...(isFixed ? [] : [ofStore]),
    ...(url === "/v1/:collection" ? [ofCollection] : []),
  ]);
}

/**
 * Adds the common codes to what each route says of its own, for the document. To be called before
 * there are routes.
 */
export function completeCodes(app: FastifyInstance): void {
  app.addHook("onRoute", (route: RouteOptions & { schema?: RouteSchema }) => {
    const { url, schema } = route;
    if (schema?.["x-codes"] === undefined) return;
    const all = mergedCodes([commonCodes({ url, schema }), schema["x-codes"]]);
    route.schema = { ...schema, "x-codes": all };
  });
}

/** The codes of several together. */
export function mergedCodes(some: readonly Codes[]): Codes {
  const all: Record<number, readonly FaultCode[]> = {};
  for (const [status, codes] of some.flatMap((one) => Object.entries(one))) {
    const known = all[Number(status)] ?? [];
    all[Number(status)] = [...new Set([...known, ...codes])].toSorted();
  }
  return all;
}
