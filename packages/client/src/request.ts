import { ConnectionError, isProblem, ProblemError } from "./errors.ts";
import { backoff, type RetryOptions, retryAfter, sleep } from "./retry.ts";
import { writeJson } from "./write-json.ts";

/** The address of the service, and the way to ask it. */
export interface ClientOptions extends RetryOptions {
  /** The base URL of the service, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The operator's token, for all but submitting, showing and following one's own tasks. */
  readonly token?: string;
  /** Who acts, for the history of tasks; `client` unless said otherwise. */
  readonly actor?: string;
  /** A `fetch` in place of the global one. */
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

interface Call extends Request {
  /** `safe`: also after a failure that leaves open whether it was carried out. */
  readonly repeat: "safe" | "only when refused";
}

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** Opens a connection for an answer that is read as it comes. It is not repeated. */
export type Open = (call: Call) => Promise<Response>;

export type Send = <Body>(call: Call) => Promise<Answer<Body>>;

export const usualRetryFor = 30_000;

/** Sends requests, and repeats those that may be repeated: with growing delays, for a bounded time. */
export function sender(options: ClientOptions): Send {
  const { retryFor = usualRetryFor } = options;
  return async <Body>(call: Call): Promise<Answer<Body>> => {
    // What cannot be written is a mistake of the caller, and no outage.
    const written = writeCall(call, options);
    const begun = Date.now();
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await attemptCall(call, written, options);
      if ("answer" in outcome) return outcome.answer as Answer<Body>;
      const delay = Math.max(outcome.after ?? 0, 0) + backoff(attempt);
      if (!outcome.again || Date.now() + delay - begun > retryFor) throw outcome.error;
      await sleep(delay, call.signal);
    }
  };
}

/** Opens streams. */
export const opener =
  (options: ClientOptions): Open =>
  (call) =>
    fetchCall(writeCall(call, options), options);

type Outcome =
  | { readonly answer: Answer<unknown> }
  | { readonly error: Error; readonly again: boolean; readonly after: number | null };

/** Statuses of answers that may be different soon. */
const passing: ReadonlySet<number> = new Set([429, 502, 503]);

async function attemptCall(
  call: Call,
  written: WrittenCall,
  options: ClientOptions,
): Promise<Outcome> {
  const isSafe = call.repeat === "safe";
  let response: Response;
  let text: string;
  try {
    response = await fetchCall(written, options);
    text = await response.text();
  } catch (cause) {
    if (call.signal?.aborted === true) throw cause;
    const error = new ConnectionError(`${options.url} is not reachable: ${reasonOf(cause)}`, {
      cause,
    });
    return { error, again: isSafe, after: null };
  }
  const body = parse(text);
  if (response.ok && (body !== undefined || text === "")) {
    return { answer: { status: response.status, body: body ?? null, headers: response.headers } };
  }
  const error = isProblem(body) ? new ProblemError(body) : strange(response, options.url);
  const again = passing.has(response.status) && (isSafe || response.status === 429);
  return { error, again, after: retryAfter(response.headers.get("retry-after")) };
}

/** A request as it is sent, each time that it is. */
interface WrittenCall {
  readonly href: string;
  readonly init: RequestInit;
}

/** Writes a request. Throws for what no request can have, such as a bigint in its body, with the place. */
function writeCall(
  { method, path, query = {}, headers = {}, body, signal }: Call,
  { url, token }: ClientOptions,
): WrittenCall {
  const asked = new URL(url.replace(/\/+$/, "") + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) asked.searchParams.set(name, value);
  }
  const given = Object.entries({
    ...headers,
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    "content-type": body === undefined ? undefined : "application/json",
  }).filter((header): header is [string, string] => header[1] !== undefined);
  const text = writeJson(body);
  // Throws for a character that no header can have.
  void new Headers(given);
  const init = {
    method,
    headers: given,
    ...(text === undefined ? {} : { body: text }),
    ...(signal === undefined ? {} : { signal }),
  };
  return { href: asked.href, init };
}

const fetchCall = (
  { href, init }: WrittenCall,
  { fetch = globalThis.fetch }: ClientOptions,
): Promise<Response> => fetch(href, init);

const strange = ({ status }: Response, url: string) =>
  new ConnectionError(
    `${url} answered ${status}, and not as Holdfast does: is it the URL of a submission service?`,
  );

/** Parses JSON; undefined: it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(inner instanceof Error)) return String(inner);
  const { code } = inner as { readonly code?: unknown };
  return inner.message === "" && typeof code === "string" ? code : inner.message;
}
