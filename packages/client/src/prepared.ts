import { RequestError } from "./errors.ts";
import { jsonText } from "./json-text.ts";
import type { RetryOptions } from "./retry.ts";

/** The address of the service, and the way to ask it. */
export interface ClientOptions extends RetryOptions {
  /** The base URL of the service, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The operator's token, for all but submitting, showing and following one's own tasks. */
  readonly token?: string;
  /** Who acts, for the history of tasks; `client` unless said otherwise. */
  readonly actor?: string;
  /** A `fetch` in place of the global one, such as one that asks through a proxy. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A request of the OpenAPI document, for what the client has no method for. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** A request as it is sent, each time that it is tried. */
export interface Prepared {
  readonly href: string;
  /** The request in words, such as `POST /v1/tasks`. */
  readonly name: string;
  readonly init: RequestInit;
}

/**
 * Makes a request of what its caller gave. Whatever is wrong with that is a `RequestError` before
 * anything is sent: sent again, it would be as wrong, and the service is not to blame.
 */
export function prepare(
  { method, path, query = {}, headers = {}, body }: Request,
  { url, token }: Pick<ClientOptions, "url" | "token">,
): Prepared {
  const name = `${method} ${path}`;
  if (method === "GET" && body !== undefined) throw new RequestError(`${name} takes no body`);
  const asked = urlOf(url, path);
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) asked.searchParams.set(key, value);
  }
  const given = Object.entries({
    ...headers,
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    "content-type": body === undefined ? undefined : "application/json",
  }).filter((header): header is [string, string] => header[1] !== undefined);
  given.forEach(mustBeHeader);
  // A redirect would turn what is sent into a GET, and lose the body.
  const redirect = method === "GET" ? "follow" : "manual";
  const text = body === undefined ? {} : { body: jsonText(body) };
  return { href: asked.href, name, init: { method, headers: given, redirect, ...text } };
}

function urlOf(url: string, path: string): URL {
  const whole = url.replace(/\/+$/, "") + path;
  const asked = URL.canParse(whole) ? new URL(whole) : null;
  if (asked === null || !/^https?:$/.test(asked.protocol)) {
    throw new RequestError(
      `${url} is no URL of a submission service: write it as http://127.0.0.1:3000`,
    );
  }
  if (asked.username !== "" || asked.password !== "") {
    throw new RequestError(
      `The URL of ${asked.host} holds a user or a password: give the operators' token as \`token\``,
    );
  }
  return asked;
}

/** What is wrong is never quoted: it may be the token. */
function mustBeHeader([name, value]: readonly [string, string]): void {
  try {
    const headers = new Headers();
    headers.set(name, value);
  } catch {
    throw new RequestError(
      `The header ${JSON.stringify(name)} has characters that a header cannot have`,
    );
  }
}
