import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface DocumentedMetric {
  readonly kind: string;
  readonly labels: readonly string[];
}

const page = fileURLToPath(new URL("../../../docs/reference/metrics.md", import.meta.url));

/** The metrics of docs/reference/metrics.md, by name. */
export const documentedMetrics = (): ReadonlyMap<string, DocumentedMetric> =>
  new Map(
    [
      ...readFileSync(page, "utf8").matchAll(
        /^\| `([a-z0-9_]+)` +\| (counter|gauge|histogram) +\| (.*?) +\| /gm,
      ),
    ].map(([, name = "", kind = "", labels = ""]) => [name, { kind, labels: labelsOf(labels) }]),
  );

/** Each part of the column begins with the name of a label. */
const labelsOf = (column: string): readonly string[] =>
  column.split("; ").flatMap((part) => /^`(\w+)`/.exec(part)?.[1] ?? []);
