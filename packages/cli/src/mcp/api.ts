import { PermanentFault, TransientFault } from "@holdfast/domain";

/** How the HTTP API of a Holdfast is reached. */
export interface ApiSettings {
  readonly url: string;
  /** The operators' token; null: only routes that need none are answered. */
  readonly token: string | null;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** The HTTP API, as far as the tools use it: the one place that calls it. */
export interface Api {
  get<Body>(path: string, query?: Query): Promise<Body>;
  post<Body>(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Body>;
}

interface Call {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Milliseconds. */
const patience = 15_000;

/** Throws a Fault with the code of the API, and a sentence that says what to do. */
export function openApi({ url, token }: ApiSettings): Api {
  const base = url.replace(/\/+$/, "");
  const call = async <Body>(path: string, init: Call): Promise<Body> => {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const headers = { accept: "application/json", ...authorization, ...init.headers };
    const signal = AbortSignal.timeout(patience);
    // A redirect would take the token to another host.
    const response = await fetch(`${base}${path}`, {
      ...init,
      headers,
      signal,
      redirect: "error",
    }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new TransientFault(
        "store.unavailable",
        `${base} does not answer (${why}): is the submission service running, and is HOLDFAST_URL right?`,
      );
    });
    const text = await response.text();
    if (!response.ok) throw refusal(response.status, text, token);
    return (text === "" ? null : JSON.parse(text)) as Body;
  };
  return {
    get: (path, query = {}) => call(`${path}${toQuery(query)}`, { method: "GET" }),
    post: (path, body, headers = {}) =>
      call(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
  };
}

function toQuery(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

interface ProblemBody {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

function refusal(status: number, text: string, token: string | null): PermanentFault {
  const { code = `http.${status}`, detail = text.slice(0, 500), errors = [] } = problemOf(text);
  const places = errors.map((one) => `${one.pointer} ${one.detail}`);
  const advice = status === 401 || status === 403 ? [tokenAdvice(token)] : [];
  return new PermanentFault(code as never, [detail, ...places, ...advice].join(" "), {
    details: { status },
  });
}

const tokenAdvice = (token: string | null): string =>
  token === null
    ? "Set HOLDFAST_TOKEN to the operators' token."
    : "Check HOLDFAST_TOKEN, and that HOLDFAST_URL is a service for operators.";

function problemOf(text: string): ProblemBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
