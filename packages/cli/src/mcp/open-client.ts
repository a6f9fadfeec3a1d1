import { type HoldfastClient, holdfastClient } from "@holdfast/client";

/** How the HTTP API of a Holdfast is reached. */
export interface ApiSettings {
  readonly url: string;
  /** The operators' token; null: only routes that need none are answered. */
  readonly token: string | null;
}

/** Milliseconds: a model waits for the answer. */
const patience = 15_000;
const retryFor = 2_000;

/** The client that the tools use. A request that takes too long ends with an error. */
export const openClient = ({ url, token }: ApiSettings): HoldfastClient =>
  holdfastClient({
    url,
    retryFor,
    ...(token === null ? {} : { token }),
    // A redirect would take the token to another host.
    fetch: (to, init) =>
      fetch(to, { ...init, redirect: "error", signal: AbortSignal.timeout(patience) }),
  });
