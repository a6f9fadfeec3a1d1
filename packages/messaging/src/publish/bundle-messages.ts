import { limits } from "@holdfast/contracts";
import { fromTraceText, readTraceContext, type TraceContext, traceText } from "@holdfast/domain";
import type { OutgoingMessage, PublishResult } from "../broker.ts";

/** What a message of several says it is: JSON, one a line. */
const bundleContent = "application/x-ndjson";

/** A bundle is to save messages, not to make large ones: bytes. */
const mostBytes = 64 * 1024;

const newline = Buffer.from("\n");

type Publish = (message: OutgoingMessage) => Promise<PublishResult>;

interface Bundle {
  readonly messages: OutgoingMessage[];
  bytes: number;
  readonly published: Promise<PublishResult>;
  readonly resolve: (result: Promise<PublishResult>) => void;
}

/**
 * Puts messages that are published in one turn and may go together into one: what a message costs
 * the broker hardly depends on its size. A lone one goes as it is, and does not wait for others.
 */
export function bundleMessages(publish: Publish): Publish {
  const open = new Map<string, Bundle>();

  const close = (key: string, { messages, resolve }: Bundle): void => {
    open.delete(key);
    resolve(publish(together(messages)));
  };

  const closeAll = (): void => {
    for (const [key, bundle] of open) close(key, bundle);
  };

  const bundleFor = (key: string, size: number): Bundle => {
    const found = open.get(key);
    if (found !== undefined && found.bytes + size <= mostBytes) return found;
    if (found !== undefined) close(key, found);
    if (open.size === 0) process.nextTick(closeAll);
    const { promise: published, resolve } = Promise.withResolvers<PublishResult>();
    const bundle = { messages: [], bytes: 0, published, resolve };
    open.set(key, bundle);
    return bundle;
  };

  return (message) => {
    const { bundle, body, trace = null } = message;
    if (bundle === undefined || bundle.most <= 1 || body.includes(newline)) return publish(message);
    const size = body.length + traceBytes(trace);
    const found = bundleFor(bundle.key, size);
    found.messages.push(message);
    found.bytes += size;
    if (found.messages.length >= bundle.most) close(bundle.key, found);
    return found.published;
  };
}

/**
 * A message like the first of them, but with the bodies and traces of all, and in time for the most
 * urgent.
 */
function together(messages: readonly OutgoingMessage[]): OutgoingMessage {
  const [only] = messages;
  if (only !== undefined && messages.length === 1) return only;
  const [{ correlationId: _, trace: __, ...first }] = messages as [OutgoingMessage];
  const { expirationMs, headers } = first;
  const traces = bundledTraces(messages.map(({ trace = null }) => trace));
  return {
    ...first,
    body: Buffer.concat(messages.flatMap(({ body }) => [body, newline])),
    contentType: bundleContent,
    ...(traces === null ? {} : { headers: { ...headers, ...traces } }),
    ...(expirationMs === undefined
      ? {}
      : { expirationMs: Math.min(...messages.map((one) => one.expirationMs ?? expirationMs)) }),
  };
}

/** The bodies in a message; in what is none of our bundles, the one that it is. */
export function bodiesOf(content: Buffer, contentType: unknown): readonly Buffer[] {
  if (contentType !== bundleContent) return [content];
  const bodies: Buffer[] = [];
  for (let start = 0; start < content.length && bodies.length <= limits.bundleParts; ) {
    const found = content.indexOf(newline, start);
    const end = found === -1 ? content.length : found;
    bodies.push(content.subarray(start, end));
    start = end + 1;
  }
  return bodies.length === 0 || bodies.length > limits.bundleParts ? [content] : bodies;
}

/**
 * The header of a message of several: what each of them would have as `traceparent` and
 * `tracestate`, one a line.
 */
const several = "traceparents";
const lineBreak = "\n";

type Header = (name: string) => unknown;

/** The headers of a message by itself. */
export const traceHeaders = ({ traceparent, tracestate }: TraceContext) => ({
  traceparent,
  ...(tracestate === null ? {} : { tracestate }),
});

/** The header of a message of several; none if none of them has a trace. */
const bundledTraces = (traces: readonly (TraceContext | null)[]) =>
  traces.every((trace) => trace === null)
    ? null
    : {
        [several]: traces.map((trace) => (trace === null ? "" : traceText(trace))).join(lineBreak),
      };

/** How much a message adds to `bundledTraces`, in bytes. */
const traceBytes = (trace: TraceContext | null): number =>
  trace === null ? 0 : traceText(trace).length + lineBreak.length;

/**
 * Reads what each part of a message has. Headers may be anything: what cannot be read is no trace.
 */
export function tracesIn(
  header: Header,
  { parts, isBundle }: { readonly parts: number; readonly isBundle: boolean },
): readonly (TraceContext | null)[] {
  if (!isBundle) {
    const traceparent = header("traceparent");
    return traceparent === undefined ? [] : [readTraceContext(traceparent, header("tracestate"))];
  }
  const text = header(several);
  const lines = typeof text === "string" ? text.split(lineBreak, parts + 1) : [];
  return lines.length === parts ? lines.map(fromTraceText) : [];
}
