import { type Static, Type } from "typebox";

/** The characters of the longest setting: a URL, or a list. */
export const longestSetting = 4_000;

/** The environment variables of OpenTelemetry that every service reads, under their usual names. */
export const TracingConfig = Type.Object({
  /**
   * The address to which traces are sent, by OTLP over HTTP: the path of traces is appended. Unset:
   * there are no traces.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      maxLength: longestSetting,
      format: "url",
      pattern: "^https?://",
      description: "the URL of a collector such as http://collector:4318",
    }),
  ),
  /** How spans are written. */
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Union(
    [Type.Literal("http/protobuf"), Type.Literal("http/json")],
    { default: "http/protobuf" },
  ),
  /**
   * Headers for the collector, such as `authorization=Bearer%20…`: `name=value` with commas between
   * them.
   */
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({
      maxLength: longestSetting,
      pattern: "^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$",
      description: "name=value, with commas between them",
    }),
  ),
  /** Which traces that begin here are recorded. What a caller decided always counts. */
  OTEL_TRACES_SAMPLER: Type.Union(
    [
      Type.Literal("parentbased_always_on"),
      Type.Literal("parentbased_always_off"),
      Type.Literal("parentbased_traceidratio"),
    ],
    { default: "parentbased_always_on" },
  ),
  /** The part of traces that `parentbased_traceidratio` records: 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: Type.Number({ default: 1, minimum: 0, maximum: 1 }),
  /** The name of this service in traces; `holdfast-` and its kind unless set. */
  OTEL_SERVICE_NAME: Type.Optional(Type.String({ maxLength: 200 })),
});
export type TracingConfig = Static<typeof TracingConfig>;
