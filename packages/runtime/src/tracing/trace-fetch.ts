import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Span, Tracing } from "./tracing.ts";

/** What Node's fetch says of a request, on channels that are part of undici's interface. */
interface FetchRequest {
  readonly method: string;
  readonly origin: string | URL;
  readonly headers: string | readonly string[];
  addHeader(name: string, value: string): void;
}

/**
 * Gives each fetch within a span one of its own, and has the remote service get its `traceparent`. What is fetched
 * outside of all spans is left alone, and so is a request that has a `traceparent` already. The path is left out: it
 * may hold personal data.
 */
export function traceFetch(tracing: Tracing): Disposable {
  const open = new WeakMap<FetchRequest, Span>();
  const end = (request: FetchRequest, attributes: Parameters<Span["end"]>[0]): void => {
    open.get(request)?.end(attributes);
    open.delete(request);
  };
  const listeners = {
    "undici:request:create": (message: unknown) => {
      const { request } = message as { request: FetchRequest };
      const parent = tracing.current();
      if (parent === null || hasTrace(request)) return;
      const { hostname, port, protocol } = new URL(request.origin);
      const span = tracing.span(request.method, {
        kind: "client",
        parent,
        attributes: {
          "http.request.method": request.method,
          "server.address": hostname,
          "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
        },
      });
      open.set(request, span);
      if (span.context === null) return;
      const { traceparent, tracestate } = span.context;
      request.addHeader("traceparent", traceparent);
      if (tracestate !== null) request.addHeader("tracestate", tracestate);
    },
    "undici:request:headers": (message: unknown) => {
      const { request, response } = message as {
        request: FetchRequest;
        response: { statusCode: number };
      };
      const { statusCode } = response;
      end(request, {
        "http.response.status_code": statusCode,
        ...(statusCode >= 400 ? { "error.type": String(statusCode) } : {}),
      });
    },
    "undici:request:error": (message: unknown) => {
      const { request, error } = message as { request: FetchRequest; error: Error };
      end(request, { "error.type": error.name });
    },
  } as const;
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener);
  return {
    [Symbol.dispose]() {
      for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener);
    },
  };
}

/** Older versions of undici keep the headers as one text. */
const hasTrace = ({ headers }: FetchRequest): boolean =>
  typeof headers === "string"
    ? /^traceparent:/im.test(headers)
    : headers.some((name) => typeof name === "string" && name.toLowerCase() === "traceparent");
