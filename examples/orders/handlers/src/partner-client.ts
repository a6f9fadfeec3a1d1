import { agentCode, PermanentFault, TransientFault } from "@holdfast/agent";

export interface PartnerClient {
  /**
   * Asks for something to be done. The output is not checked here: the Agent checks what its
   * handlers return against its contract.
   */
  post<Output>(path: string, request: PostRequest): Promise<Output>;
  /** Undoes what was, or may have been, done under the key. */
  undo(path: string, request: UndoRequest): Promise<void>;
}

interface PostRequest {
  readonly body: unknown;
  /** Has it done once, however often it is asked for. */
  readonly key: string;
  readonly signal: AbortSignal;
}

type UndoRequest = Omit<PostRequest, "body">;

/** Talks to one partner over HTTP, and says what its answers mean for the step. */
export function partnerClient(name: string, baseUrl: string): PartnerClient {
  const ask = async (path: string, request: RequestInit & { signal: AbortSignal }) => {
    const response = await reach(name, new URL(path, baseUrl), request);
    const body = await read(name, response, request.signal);
    if (!response.ok) throw faultOf(name, response, body);
    return body;
  };
  return {
    async post<Output>(path: string, { body, key, signal }: PostRequest) {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      return (await ask(path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal,
      })) as Output;
    },
    async undo(path, { key, signal }) {
      await ask(`${path}/by-key/${encodeURIComponent(key)}`, { method: "DELETE", signal });
    },
  };
}

async function reach(name: string, url: URL, request: RequestInit & { signal: AbortSignal }) {
  try {
    return await fetch(url, request);
  } catch (cause) {
    request.signal.throwIfAborted();
    throw new TransientFault(agentCode(`${name}.unreachable`), `${name} does not answer`, {
      cause,
    });
  }
}

/** What breaks off in the middle may have been an answer to anything. */
async function read(name: string, response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    signal.throwIfAborted();
    throw new TransientFault(agentCode(`${name}.garbled`), `${name} sent no JSON`, {
      cause,
      details: { status: response.status },
    });
  }
}

/** Statuses that say "not now". Anything else below 500 is a no. */
const notNow: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Refusals that the partners document as bound to the idempotency key: nothing was done under it,
 * and nothing will be. All others may come from something before the partner, such as a gateway
 * that wants other credentials, and say nothing about what an earlier request under the key has
 * done.
 */
const boundToKey: ReadonlySet<string> = new Set([
  "declined",
  "sold_out",
  "undeliverable",
  "unshippable",
  "undone",
]);

function faultOf(name: string, response: Response, body: unknown) {
  const { code = `http_${response.status}`, message = response.statusText } = body as Refusal;
  const { status } = response;
  const text = `${name} answered ${status}: ${message}`;
  const inProgress = status === 409 && code === "in_progress";
  if (status >= 500 || notNow.has(status) || inProgress) {
    const retryAfter = retryAfterOf(response);
    const paces = retryAfter === null ? {} : { retryAfter };
    return new TransientFault(agentCode(`${name}.${code}`), text, {
      details: { status },
      ...paces,
    });
  }
  const harmless = boundToKey.has(code) ? ({ effect: "none" } as const) : {};
  return new PermanentFault(agentCode(`${name}.${code}`), text, {
    details: { status },
    ...harmless,
  });
}

interface Refusal {
  readonly code?: string;
  readonly message?: string;
}

/**
 * Milliseconds. The Scheduler allows no more either, unless the policy of the step has a longer
 * delay.
 */
const longestRetryAfter = 3_600_000;

/**
 * Given in seconds or as a date. A date counts from the partner's own clock, which it sends along:
 * the clock of this host may be wrong.
 */
function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const sentAt = Date.parse(headers.get("date") ?? "");
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1_000
    : Date.parse(text) - (Number.isFinite(sentAt) ? sentAt : Date.now());
  return Number.isNaN(ms) ? null : Math.min(longestRetryAfter, Math.max(0, Math.round(ms)));
}
