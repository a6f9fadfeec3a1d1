import type { ServiceName } from "@holdfast/processes";

/** What the services of one measurement do beside their work. */
export interface ObservedSetup {
  readonly name: "none" | "metrics" | "traces" | "tenth";
  readonly title: string;
  readonly hasMetrics: boolean;
  /** The part of the traces that is recorded; null: tracing is off. */
  readonly recorded: number | null;
}

export const observedSetups: readonly ObservedSetup[] = [
  { name: "none", title: "neither", hasMetrics: false, recorded: null },
  { name: "metrics", title: "metrics", hasMetrics: true, recorded: null },
  { name: "tenth", title: "metrics, a tenth of the traces", hasMetrics: true, recorded: 0.1 },
  { name: "traces", title: "metrics and all traces", hasMetrics: true, recorded: 1 },
];

const observed = ["submission", "scheduler", "agent"] as const;
type Observed = (typeof observed)[number];

/** The environment of each service. `port`: the first of three that are free. */
export function environmentsOf(
  { hasMetrics, recorded }: ObservedSetup,
  { port, sinkUrl }: { readonly port: number; readonly sinkUrl: string },
): Readonly<Record<Observed, Readonly<Record<string, string>>>> {
  const traces: Readonly<Record<string, string>> =
    recorded === null
      ? {}
      : {
          OTEL_EXPORTER_OTLP_ENDPOINT: sinkUrl,
          OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
          OTEL_TRACES_SAMPLER_ARG: String(recorded),
        };
  const of = (index: number) => ({
    ...(hasMetrics ? { HEALTH_HOST: "127.0.0.1", HEALTH_PORT: String(port + index) } : {}),
    ...traces,
  });
  return { submission: of(0), scheduler: of(1), agent: of(2) } satisfies Partial<
    Record<ServiceName, object>
  >;
}

/**
 * The order in which setups are measured: another one is first in each round, so that none has the
 * warmest machine.
 */
export const inOrder = (round: number): readonly ObservedSetup[] =>
  observedSetups.map(
    (_, index) => observedSetups[(index + round) % observedSetups.length] as ObservedSetup,
  );
