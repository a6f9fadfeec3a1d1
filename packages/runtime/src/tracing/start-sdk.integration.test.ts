import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { readTraceContext } from "@holdfast/domain";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parseConfig } from "../config/config.ts";
import { attemptSpan } from "./message-spans.ts";
import { foundTracing, openTracing } from "./open-tracing.ts";
import { noTracing } from "./tracing.ts";
import { TracingConfig } from "./tracing-config.ts";

const caller = readTraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=1")!;
const refused = readTraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")!;

let parts: AsyncDisposableStack;

beforeEach(() => {
  parts = new AsyncDisposableStack();
});

afterEach(async () => {
  await parts.disposeAsync();
});

/** An HTTP server; resolves to its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  parts.defer(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface ExportedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly status: { readonly code?: number };
  readonly links?: readonly { readonly spanId: string }[];
}

interface Export {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A collector that keeps what it gets. */
async function collect() {
  const exports: Export[] = [];
  const url = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("latin1");
      exports.push({ url: request.url ?? "", headers: request.headers, body });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  const spans = (): readonly ExportedSpan[] =>
    exports.flatMap(({ body }) =>
      (
        JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: ExportedSpan[] }[] }[] }
      ).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  return { url, exports, spans };
}

async function open(env: Readonly<Record<string, string>>, warnings: string[] = []) {
  const config = parseConfig(TracingConfig, env);
  const warn = (detail: string) => void warnings.push(detail);
  return openTracing({ config, service: "test", instanceId: "test-1", warn });
}

const json = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
});

test("spans arrive with their parents, links, ids and faults", async () => {
  const collector = await collect();
  const tracing = await open({
    ...json(`${collector.url}/`),
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20secret",
    OTEL_SERVICE_NAME: "shop",
  });
  const { spanId, context } = attemptSpan(caller, { taskId: "t", step: "charge", attempt: 2 });
  const first = attemptSpan(caller, { taskId: "t", step: "charge", attempt: 1 });
  const claim = tracing.span("claim charge", { parent: caller, spanId, links: [first.context] });
  expect(claim.context).toEqual({ ...context, tracestate: "a=1" });
  const send = tracing.span("send", { kind: "producer", parent: claim.context });
  send.end({ "error.type": "unroutable" });
  claim.end();
  await tracing[Symbol.asyncDispose]();

  const [sent, claimed] = collector.spans();
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  expect(claimed).toMatchObject({ traceId, spanId, parentSpanId: "00f067aa0ba902b7", kind: 1 });
  expect(claimed?.links).toMatchObject([{ spanId: first.spanId }]);
  expect(claimed?.traceState).toBe("a=1");
  expect(sent).toMatchObject({ traceId, parentSpanId: spanId, kind: 4, status: { code: 2 } });
  expect(sent?.spanId).not.toBe(spanId);
  const [{ url, headers, body }] = collector.exports as [Export];
  expect(url).toBe("/v1/traces");
  expect(headers.authorization).toBe("Bearer secret");
  expect(body).toContain('"service.name","value":{"stringValue":"shop"}');
});

test("spans are written as protobuf unless said otherwise", async () => {
  const collector = await collect();
  const tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  tracing.span("claim charge", { parent: null }).end();
  await tracing[Symbol.asyncDispose]();
  expect(collector.exports[0]?.headers["content-type"]).toBe("application/x-protobuf");
  expect(collector.exports[0]?.body).toContain("claim charge");
});

test("nothing is recorded of a trace whose caller decided so, and the decision is carried on", async () => {
  const collector = await collect();
  const tracing = await open(json(collector.url));
  const received: IncomingHttpHeaders[] = [];
  const remote = await serve((request, response) => {
    received.push(request.headers);
    response.end();
  });
  const span = tracing.span("claim charge", { parent: refused });
  await span.run(() => fetch(remote));
  span.end();
  expect(span.context?.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-.{16}-00$/);
  expect(received).toMatchObject([{ traceparent: span.context?.traceparent }]);
  await tracing[Symbol.asyncDispose]();
  expect(collector.exports).toEqual([]);
});

test.each([
  ["parentbased_always_off", "1", 0],
  ["parentbased_traceidratio", "0", 0],
  ["parentbased_traceidratio", "1", 1],
])(
  "%s records of new traces the part %s, and of callers all that they want",
  async (name, ratio, own) => {
    const collector = await collect();
    const sampler = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio };
    const tracing = await open({ ...json(collector.url), ...sampler });
    tracing.span("own", { parent: null }).end();
    tracing.span("called", { parent: caller }).end();
    await tracing[Symbol.asyncDispose]();
    const names = collector.spans().map((span) => span.name);
    expect(names).toEqual([...(own === 1 ? ["own"] : []), "called"]);
  },
);

test("what is fetched within a span carries on its trace, and what is fetched elsewhere does not", async () => {
  const collector = await collect();
  const received: IncomingHttpHeaders[] = [];
  const remote = await serve((request, response) => {
    received.push(request.headers);
    response.writeHead(request.url === "/busy" ? 503 : 200).end();
  });
  const away = await serve((request) => request.socket.destroy());
  const tracing = await open(json(collector.url));
  const work = tracing.span("charge", { parent: caller });
  await work.run(async () => {
    await fetch(remote, { method: "POST", body: "{}" });
    await fetch(`${remote}/busy`);
    await fetch(remote, { headers: { traceparent: refused.traceparent } });
    await expect(fetch(away)).rejects.toThrow("fetch failed");
  });
  await fetch(remote);
  work.end();
  await tracing[Symbol.asyncDispose]();

  const [ok, busy, down, ...others] = collector.spans();
  const parentSpanId = work.context?.traceparent.slice(36, 52);
  expect(others.map(({ name }) => name)).toEqual(["charge"]);
  expect(ok).toMatchObject({ name: "POST", kind: 3, parentSpanId, status: {} });
  expect(busy).toMatchObject({ name: "GET", parentSpanId, status: { code: 2 } });
  expect(down).toMatchObject({ name: "GET", parentSpanId, status: { code: 2 } });
  const sent = received.map(({ traceparent }) => traceparent);
  expect(sent[0]).toBe(`00-${ok?.traceId}-${ok?.spanId}-01`);
  expect(received[0]?.["tracestate"]).toBe("a=1");
  expect(sent.slice(2)).toEqual([refused.traceparent, undefined]);
});

test("the current span is known within it, and nowhere else", async () => {
  const collector = await collect();
  const tracing = await open(json(collector.url));
  const span = tracing.span("charge", { parent: caller });
  expect(await span.run(async () => tracing.current())).toEqual(span.context);
  expect(tracing.current()).toBeNull();
  await tracing[Symbol.asyncDispose]();
});

const fail: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(500).end("x".repeat(100_000));
};

test.each<[string, RequestListener | null]>([
  ["is away", null],
  ["answers 500", fail],
])("a collector that %s costs no time, and its words are cut", async (_, listener) => {
  const url = listener === null ? "http://127.0.0.1:1" : await serve(listener);
  const warnings: string[] = [];
  const tracing = await open(json(url), warnings);
  for (let count = 0; count < 1_000; count += 1) tracing.span("claim", { parent: caller }).end();
  await tracing[Symbol.asyncDispose]();
  for (const warning of warnings) expect(warning.length).toBeLessThanOrEqual(500);
});

test("for a collector that never answers a bounded number of spans waits, and none for longer than a stop takes", async () => {
  let received = 0;
  const url = await serve((request) => {
    request.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1").split('"spanId"').length - 1;
    });
  });
  const tracing = await open(json(url));
  const made = 20_000;
  for (let count = 0; count < made; count += 1) tracing.span("claim", { parent: null }).end();
  await new Promise(setImmediate);
  const from = performance.now();
  await tracing[Symbol.asyncDispose]();
  // It waits for two seconds at most, by its own timer.
  expect(performance.now() - from).toBeLessThan(8_000);
  expect(received).toBeGreaterThan(0);
  expect(received).toBeLessThan(made / 2);
});

test("without an endpoint nothing is started, and what came along is carried on", async () => {
  const tracing = await open({});
  expect(tracing.isOn).toBe(false);
  expect(tracing.span("claim", { parent: caller }).context).toBe(caller);
  expect(tracing.span("claim", { parent: null }).context).toBeNull();
  expect(await foundTracing()).toBe(noTracing);
});

test("code that reads no environment finds the tracing of its process", async () => {
  const collector = await collect();
  const tracing = await open(json(collector.url));
  (await foundTracing()).span("charge", { parent: caller }).end();
  await tracing[Symbol.asyncDispose]();
  expect(collector.spans().map(({ name }) => name)).toEqual(["charge"]);
});
