/** One metric as a service exposes it. */
export interface ExposedMetric {
  readonly kind: string;
  /** Lines with a value. */
  readonly samples: readonly string[];
}

/** Reads the text format of Prometheus, strictly: throws on a line that is none. */
export function parseExposition(text: string): ReadonlyMap<string, ExposedMetric> {
  const metrics = new Map<string, { kind: string; samples: string[] }>();
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const [, typed, kind] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== undefined && kind !== undefined) metrics.set(typed, { kind, samples: [] });
    else if (!line.startsWith("# HELP ")) {
      const name = sample.exec(line)?.[1] ?? refuse(line);
      const metric = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ""));
      (metric ?? refuse(line)).samples.push(line);
    }
  }
  return metrics;
}

const label = String.raw`[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*"`;
const sample = new RegExp(
  String.raw`^([a-zA-Z_:][\w:]*)(?:\{${label}(?:,${label})*\})? -?[\d.e+-]+$`,
);

function refuse(line: string): never {
  throw new Error(`This is no line of an exposition: ${line}`);
}
