export const spans = ["1h", "24h", "7d", "all"] as const;
export type Span = (typeof spans)[number];

/** Which groups are shown. All of it stands in the URL. */
export interface FailuresFilter {
  readonly span: Span;
  readonly workflow: string;
  /** Whether only groups with halted tasks are shown. */
  readonly isOpenOnly: boolean;
}

export function readFailuresFilter(query: URLSearchParams): FailuresFilter {
  const span = spans.find((one) => one === query.get("within")) ?? "7d";
  const workflow = (query.get("workflow") ?? "").slice(0, 200);
  return { span, workflow, isOpenOnly: query.get("open") === "yes" };
}

const hour = 3_600_000;
const lengths = { "1h": hour, "24h": 24 * hour, "7d": 7 * 24 * hour } as const;

/**
 * The instant from which on tasks are looked at, to the whole minute: the same question is asked
 * once.
 */
export function createdFrom(span: Span, now: number): string | undefined {
  if (span === "all") return undefined;
  return new Date(Math.floor((now - lengths[span]) / 60_000) * 60_000).toISOString();
}
