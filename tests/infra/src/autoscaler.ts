/** What a trigger of KEDA says: a query, and what one pod is to have of it. */
export interface Trigger {
  readonly query: string;
  readonly threshold: string;
}

/** Series of Prometheus: by name, and then by the value of the label that the query chooses by. */
export type Series = Readonly<Record<string, Readonly<Record<string, number>>>>;

const term = /sum\(max by \((\w+)\) \((\w+)\{\1(=~?)"([^"]*)"[^}]*\}\)\)/g;

/**
 * The answer of Prometheus to a sum of such terms; null if there is no such series. Throws for a
 * query of another form.
 */
export function answerOf(query: string, series: Series): number | null {
  const terms = [...query.matchAll(term)];
  if (terms.map(([text]) => text).join(" + ") !== query) throw new Error(`Unknown: ${query}`);
  const sums = terms.map(([, , name = "", , wanted = ""]) => {
    const matching = Object.entries(series[name] ?? {}).filter(([label]) =>
      wanted.split("|").includes(label),
    );
    if (matching.length === 0) return null;
    return matching.reduce((total, [, value]) => total + value, 0);
  });
  return sums.includes(null) ? null : sums.reduce<number>((total, sum) => total + (sum ?? 0), 0);
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Seconds between two decisions. */
export const syncPeriod = 15;
const tolerance = 0.1;
/** Seconds for which the highest number that was asked for stands. */
const stabilisation = 300;

/**
 * The autoscaler of Kubernetes with its defaults, for an external metric by its average: at most
 * four pods or as many as there are more each 15 seconds, and fewer only if no decision of five
 * minutes asked for more.
 */
export function horizontalAutoscaler({ min, max }: Bounds) {
  const asked: { readonly at: number; readonly pods: number }[] = [];
  return (now: number, pods: number, { metric, threshold }: Measured): number => {
    const usage = metric / (threshold * Math.max(1, pods));
    const wanted = Math.abs(usage - 1) <= tolerance ? pods : Math.ceil(metric / threshold);
    const bounded = Math.min(max, Math.max(min, wanted));
    asked.push({ at: now, pods: bounded });
    const highest = Math.max(
      ...asked.filter(({ at }) => at > now - stabilisation).map((one) => one.pods),
    );
    if (bounded > pods) return Math.min(bounded, Math.max(pods * 2, pods + 4));
    return Math.min(pods, highest);
  };
}

interface Measured {
  readonly metric: number;
  readonly threshold: number;
}
