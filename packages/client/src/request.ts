import { ConnectionError, isProblem, ProblemError, reasonOf } from "./errors.ts";
import { type ClientOptions, type Prepared, prepare, type Request } from "./prepared.ts";
import {
  backoff,
  inSeconds,
  Late,
  limitsOf,
  mustBeTimes,
  retryAfter,
  sleep,
  within,
} from "./retry.ts";

export type { ClientOptions, Request } from "./prepared.ts";

interface Call extends Request {
  /** `safe`: also after a failure that leaves open whether it was carried out. */
  readonly repeat: "safe" | "only when refused";
  /**
   * Milliseconds for which the service may take its time: it was asked to wait, or has much to do.
   */
  readonly takes?: number;
}

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/**
 * Opens a connection for an answer that is read as it comes. It is not repeated. Its head comes
 * within the time.
 */
export type Open = (call: Call, ms?: number) => Promise<Response>;

export type Send = <Body>(call: Call) => Promise<Answer<Body>>;

/**
 * Sends requests, and repeats those that may be repeated: with growing delays, for a bounded time.
 */
export function sender(options: ClientOptions): Send {
  mustBeTimes(options);
  return async <Body>(call: Call): Promise<Answer<Body>> => {
    const prepared = prepare(call, options);
    const begun = Date.now();
    const { whole, attempt, again } = limitsOf(options, {
      isSafe: call.repeat === "safe",
      takes: call.takes ?? 0,
    });
    for (let tried = 1; ; tried += 1) {
      const left = Math.max(1, whole - (Date.now() - begun));
      const outcome = await attemptCall(call, prepared, {
        ...options,
        limit: Math.min(attempt, left),
      });
      if ("answer" in outcome) return outcome.answer as Answer<Body>;
      const delay = Math.max(outcome.after ?? 0, 0) + backoff(tried - 1);
      if (!outcome.again || Date.now() + delay - begun > again) {
        throw outcome.errorAfter(
          `${prepared.name}, tried ${tried === 1 ? "once" : `${tried} times`} in ${inSeconds(Date.now() - begun)}`,
        );
      }
      await sleep(delay, call.signal);
    }
  };
}

/** Opens streams. */
export const opener =
  (options: ClientOptions): Open =>
  async (call, ms = Infinity) => {
    const { href, init } = prepare(call, options);
    const { fetch = globalThis.fetch } = options;
    const { attempt } = limitsOf(options, { isSafe: true, takes: 0 });
    // The stream goes on after this, and ends with the signal of its caller.
    const given = call.signal === undefined ? [] : [call.signal];
    return within(Math.min(attempt, ms), call.signal, (signal) =>
      fetch(href, { ...init, signal: AbortSignal.any([signal, ...given]) }),
    );
  };

type Outcome =
  | { readonly answer: Answer<unknown> }
  | {
      /** The error, which says what was tried. */
      readonly errorAfter: (tried: string) => Error;
      readonly again: boolean;
      readonly after: number | null;
    };

/**
 * Whether an answer of this status may be another one soon: the service, or what stands before it,
 * had no time (408), no room (429), or could not reach what is behind it, in the numbers of the
 * standards and in those of Cloudflare and other load balancers.
 */
export const isPassing = (status: number): boolean =>
  [408, 425, 429, 502, 503, 504, 598, 599].includes(status) || (status >= 520 && status <= 530);

interface Trying extends ClientOptions {
  /** Milliseconds for this attempt. */
  readonly limit: number;
}

async function attemptCall(call: Call, prepared: Prepared, options: Trying): Promise<Outcome> {
  const { url, limit, fetch = globalThis.fetch } = options;
  const isSafe = call.repeat === "safe";
  let response: Response;
  let text: string;
  try {
    [response, text] = await within(limit, call.signal, async (signal) => {
      const answered = await fetch(prepared.href, { ...prepared.init, signal });
      return [answered, await answered.text()] as const;
    });
  } catch (cause) {
    if (call.signal?.aborted === true) throw cause;
    const reason = reasonOf(cause);
    // A browser never connects to some ports, however often it is asked to.
    const isBarred = reason === "bad port";
    const proxyStatus = statusOfProxy(reason);
    const isRefused = proxyStatus !== null && !isPassing(proxyStatus);
    const why = isBarred ? "fetch connects to no such port" : reason;
    const reached =
      proxyStatus === null
        ? `${url} is not reachable: ${why}`
        : `${url} is not reachable: the proxy answered ${proxyStatus}, and does not lead to it`;
    const words = cause instanceof Late ? `${url} did not answer within ${cause.message}` : reached;
    const errorAfter = (tried: string) => new ConnectionError(`${words} (${tried})`, { cause });
    return { errorAfter, again: isSafe && !isBarred && !isRefused, after: null };
  }
  const body = parse(text);
  if (response.ok && (body !== undefined || text === "")) {
    return { answer: { status: response.status, body: body ?? null, headers: response.headers } };
  }
  const again = isPassing(response.status) && (isSafe || response.status === 429);
  const after = retryAfter(response.headers.get("retry-after"));
  if (isProblem(body)) return { errorAfter: () => new ProblemError(body), again, after };
  const words = strange(response, url);
  return { errorAfter: (tried) => new ConnectionError(`${words} (${tried})`), again, after };
}

/**
 * What a proxy answered that was asked for a way to the service, as the `fetch` of Node says it;
 * null: it is not that.
 */
function statusOfProxy(reason: string): number | null {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(reason) ?? [];
  return status === undefined ? null : Number(status);
}

/** What is to be said of an answer that is none of the service. */
function strange({ status, type, headers }: Response, url: string): string {
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    const to = headers.get("location");
    return `${url} redirects${to === null ? "" : ` to ${to.slice(0, 200)}`}: give the client the URL to which it leads`;
  }
  if (isPassing(status)) {
    return `${url} answered ${status}: a proxy or load balancer before the service has no answer of it`;
  }
  return `${url} answered ${status}, and not as Holdfast does: is it the URL of a submission service?`;
}

/** Parses JSON; undefined: it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
