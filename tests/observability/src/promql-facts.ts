import { parser } from "@prometheus-io/lezer-promql";

/** What an expression names. */
export interface PromqlFacts {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
  /** The places at which it cannot be parsed; empty: it can. */
  readonly errors: readonly number[];
}

/** Parses an expression of Prometheus, with its own grammar. */
export function promqlFacts(expression: string): PromqlFacts {
  const metrics = new Set<string>();
  const labels = new Set<string>();
  const errors: number[] = [];
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      if (type.isError) errors.push(from);
      if (type.name === "Identifier") metrics.add(expression.slice(from, to));
      if (type.name === "LabelName") labels.add(expression.slice(from, to));
    },
  });
  return { metrics: [...metrics], labels: [...labels], errors };
}
