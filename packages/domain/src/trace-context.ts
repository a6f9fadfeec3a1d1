/**
 * A place in a trace, as W3C Trace Context writes it: both fields can go into headers as they are.
 */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`: 55 characters. */
  readonly traceparent: string;
  /** What vendors add; null: nothing, or more than is carried on. */
  readonly tracestate: string | null;
}

/** Characters: the length that everyone must carry on. A longer one is dropped as a whole. */
const longestState = 512;
const mostMembers = 32;
const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?$/;
/** The lowest two flags have a meaning: sampled, and that the trace id is random. */
const knownFlags = 0x03;
/** The longest text that is looked at: newer versions may add a little at the end. */
const longestParent = 200;

/**
 * Reads the two headers, whatever they are. Null: there is no trace, or the header does not say
 * which.
 */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | null {
  if (typeof traceparent !== "string" || traceparent.length > longestParent) return null;
  const [, version, traceId = "", spanId = "", flags = "", rest] = shape.exec(traceparent) ?? [];
  const isPossible = version !== undefined && version !== "ff" && (version !== "00" || !rest);
  if (!isPossible || isZero(traceId) || isZero(spanId)) return null;
  const known = (Number.parseInt(flags, 16) & knownFlags).toString(16).padStart(2, "0");
  return { traceparent: `00-${traceId}-${spanId}-${known}`, tracestate: readState(tracestate) };
}

const zeros = "0".repeat(32);
const isZero = (id: string): boolean => zeros.startsWith(id);

const member = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

function readState(tracestate: unknown): string | null {
  if (typeof tracestate !== "string" || tracestate.length > longestState) return null;
  const members = tracestate.split(",").map((one) => one.trim());
  const named = members.filter((one) => one !== "");
  const isPossible = named.length <= mostMembers && named.every((one) => member.test(one));
  return isPossible && named.length > 0 ? named.join(",") : null;
}

/** The id of the trace: 32 hexadecimal digits. */
export const traceIdOf = ({ traceparent }: TraceContext): string => traceparent.slice(3, 35);

/** The id of the span: 16 hexadecimal digits. */
export const spanIdOf = ({ traceparent }: TraceContext): string => traceparent.slice(36, 52);

/** Whether the one who began the trace wants it recorded. */
export const isSampled = ({ traceparent }: TraceContext): boolean =>
  "13579bdf".includes(traceparent.charAt(54));

/** One text for a column: a tracestate follows after a space. */
export const traceText = ({ traceparent, tracestate }: TraceContext): string =>
  tracestate === null ? traceparent : `${traceparent} ${tracestate}`;

/** What `traceText` wrote, or an operator changed. */
export function fromTraceText(text: string | null): TraceContext | null {
  if (text === null) return null;
  const end = text.indexOf(" ");
  return end === -1
    ? readTraceContext(text)
    : readTraceContext(text.slice(0, end), text.slice(end + 1));
}

/** Returns the same trace at another span. */
export const atSpan = (context: TraceContext, spanId: string): TraceContext => ({
  ...context,
  traceparent: `00-${traceIdOf(context)}-${spanId}-${context.traceparent.slice(53)}`,
});
