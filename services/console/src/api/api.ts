import type { Call } from "./call.ts";
import type { ContactLog } from "./contact.ts";
import { ConnectionFault, faultOf, isOutage, ProblemFault } from "./faults.ts";
import type { SessionStore } from "./session.ts";

export interface Api {
  /**
   * Resolves to the body of the answer, null where there is none. Throws a `ProblemFault` or a
   * `ConnectionFault`.
   */
  ask<Body>(call: Call, signal?: AbortSignal): Promise<Body>;
  /** The answer itself, for a stream. */
  open(call: Call, signal: AbortSignal): Promise<Response>;
}

interface Places {
  readonly session: SessionStore;
  readonly contact: ContactLog;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Asks the API of this origin with the token of the session. An answer that the token is wrong ends
 * the session.
 */
export function openApi({ session, contact, fetch }: Places): Api {
  const send = async ({ method, path, query, body, headers }: Call, signal?: AbortSignal) => {
    const { token } = session.get();
    const response = await fetch(path + queryOf(query), {
      method,
      headers: {
        ...headers,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      cache: "no-store",
      credentials: "omit",
    });
    if (response.ok) return response;
    const fault = await faultOf(response);
    if (isOfToken(fault) && session.get().token === token) session.signOut();
    throw fault;
  };
  const open = async (call: Call, signal?: AbortSignal): Promise<Response> => {
    try {
      const response = await send(call, signal);
      contact.answered(response.headers.get("date"));
      return response;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      const fault = error instanceof ProblemFault ? error : connectionFault(error);
      if (isOutage(fault)) contact.lost(fault.message);
      else contact.answered(null);
      throw fault;
    }
  };
  return {
    open,
    async ask<Body>(call: Call, signal?: AbortSignal) {
      const response = await open(call, signal);
      const text = await response.text().catch((error: unknown) => {
        throw connectionFault(error);
      });
      return (text === "" ? null : parse(text)) as Body;
    },
  };
}

/**
 * Whether the fault is a wrong token, or one wrong token too many: the right one is taken at any
 * time.
 */
const isOfToken = (fault: ProblemFault | ConnectionFault): boolean =>
  fault instanceof ProblemFault && (fault.status === 401 || fault.code === "auth.too_many_tries");

const connectionFault = (error: unknown): ConnectionFault =>
  error instanceof ConnectionFault
    ? error
    : new ConnectionFault("The service does not answer.", { cause: error });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConnectionFault("The answer is not JSON: is there a proxy between?", { cause });
  }
}

/** The query of a path, with its question mark. */
export function queryOf(query: Call["query"]): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** A path with each value encoded: an id is never more than one part of it. */
export const pathOf = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  parts.map((part, index) => part + encodeURIComponent(values[index] ?? "")).join("");
