import type { IncomingHttpHeaders } from "node:http";

/** The token that a request shows; empty: it shows none. */
export const tokenIn = ({ authorization = "" }: IncomingHttpHeaders): string =>
  /^Bearer (.+)$/i.exec(authorization)?.[1] ?? "";

/** The codes of a 401: no token was shown, or another one. */
export const tokenRefusals = ["auth.token_missing", "auth.token_wrong"] as const;

/** The code of a 401. */
export const refusalOf = (headers: IncomingHttpHeaders): (typeof tokenRefusals)[number] =>
  tokenRefusals[tokenIn(headers) === "" ? 0 : 1];

/**
 * What a 401 says of how to show who asks, by RFC 6750. A token that was shown was not the right
 * one.
 */
export const challengeTo = (headers: IncomingHttpHeaders): string =>
  tokenIn(headers) === ""
    ? 'Bearer realm="holdfast"'
    : 'Bearer realm="holdfast", error="invalid_token", error_description="The token is not known here."';
