import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as a collector received it. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** The id of the span above it; empty: it began the trace. */
  readonly parentSpanId: string;
  readonly links: readonly string[];
  readonly hasFailed: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

type Value = Readonly<Record<string, unknown>>;
type Attributes = readonly { readonly key: string; readonly value: Value }[];

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
  readonly attributes?: Attributes;
}

/** `keep` takes spans, `hang` reads them and never answers, `fail` answers 500. */
type Behaviour = "keep" | "hang" | "fail";

export interface Collector extends AsyncDisposable {
  /** What services need to send their spans here. */
  readonly env: Readonly<Record<string, string>>;
  readonly spans: readonly CollectedSpan[];
  /** Requests that came, whatever became of them. */
  readonly requests: () => number;
}

/** Receives spans by OTLP over HTTP, as JSON. */
export async function openCollector(behaviour: Behaviour = "keep"): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (behaviour === "hang") return;
      if (behaviour === "fail") return response.writeHead(500).end();
      spans.push(...spansIn(JSON.parse(Buffer.concat(chunks).toString()) as Exported));
      return response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    },
    spans,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const spansIn = ({ resourceSpans }: Exported): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        service: textsOf(resource.attributes)["service.name"] ?? "",
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        // A link into another trace would be a mistake: it is not found by its span alone.
        links: (span.links ?? []).map((link) =>
          link.traceId === span.traceId ? link.spanId : `${link.traceId} ${link.spanId}`,
        ),
        hasFailed: span.status?.code === 2,
        attributes: textsOf(span.attributes ?? []),
      })),
    ),
  );

const textsOf = (attributes: Attributes): Readonly<Record<string, string>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
