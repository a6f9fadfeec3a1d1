import { readFileSync } from "node:fs";
import { ContractFault } from "@holdfast/domain";
import { Ajv, type ErrorObject } from "ajv";
import { type Static, type TObject, Type } from "typebox";

const unitInMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const durationKeyword = "holdfastDuration";

/** "250ms", "30s", "5m", "2h" in the environment; milliseconds in the code. */
export const Duration = (options: { readonly default?: string } = {}) =>
  Type.Unsafe<number>({ type: "string", [durationKeyword]: true, ...options });

export const Integer = (options: {
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}) => Type.Integer(options);

export const StateStoreUrl = Type.String({
  pattern: "^postgres(ql)?://",
  description: "a Postgres URL such as postgres://user:password@host:5432/database",
});

export const BrokerUrl = Type.String({
  pattern: "^amqps?://",
  description: "a RabbitMQ URL such as amqp://user:password@host:5672/vhost",
});

/** What every service can be told. Keys are the environment variables' own names, so grep finds both. */
export const BaseConfig = Type.Object({
  LOG_LEVEL: Type.Union(
    ["trace", "debug", "info", "warn", "error"].map((level) => Type.Literal(level)),
    { default: "info" },
  ),
  /** How long a service that was told to stop may finish what is in hand. */
  SHUTDOWN_GRACE: Duration({ default: "10s" }),
  /** Where `/health/live` and `/health/ready` answer; port 0: nowhere. */
  HEALTH_HOST: Type.String({ default: "0.0.0.0" }),
  HEALTH_PORT: Integer({ default: 0, minimum: 0, maximum: 65_535 }),
});
export type BaseConfig = Static<typeof BaseConfig>;

/** The environment variables that a configuration reads. */
export const environmentNames = (schema: TObject): readonly string[] =>
  Object.keys(schema.properties);

/**
 * Reads a configuration from the environment. For each name `X` also `X_FILE` is understood: the
 * path of a file that holds the value, as secrets are mounted. Throws `config.invalid`, naming every
 * fault at once.
 */
export function parseConfig<Schema extends TObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): Static<Schema> {
  const config = Object.fromEntries(
    environmentNames(schema).flatMap((name) => {
      const value = valueOf(name, env);
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
  const conforms = configReader().compile(schema);
  if (conforms(config)) return config as Static<Schema>;
  const faults = (conforms.errors ?? []).map((error) => explain(error, schema));
  throw new ContractFault("config.invalid", [...new Set(faults)].join("\n"));
}

function valueOf(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const file = env[`${name}_FILE`];
  return file === undefined || file === "" ? env[name] : readFileSync(file, "utf8").trim();
}

/** Environment variables are strings: numbers and booleans are coerced, durations converted. */
function configReader(): Ajv {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, strict: false });
  ajv.addKeyword({ keyword: durationKeyword, modifying: true, validate: toMilliseconds });
  return ajv;
}

interface Place {
  readonly parentData: Record<string, unknown>;
  readonly parentDataProperty: string;
}

function toMilliseconds(_: unknown, text: string, __: unknown, place?: object): boolean {
  const [, amount, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return false;
  const { parentData, parentDataProperty } = place as Place;
  parentData[parentDataProperty] = Number(amount) * (unitInMs[unit] ?? 1);
  return true;
}

function explain({ keyword, instancePath, params, message }: ErrorObject, schema: TObject): string {
  const missing = (params as { readonly missingProperty?: string }).missingProperty;
  const name = missing ?? instancePath.slice(1);
  const { description } = (schema.properties[name] ?? {}) as { readonly description?: string };
  if (missing !== undefined) return `${name} is missing: set it to ${description ?? "a value"}`;
  if (keyword === durationKeyword) return `${name} must be a duration such as 250ms, 30s, 5m or 2h`;
  return `${name} ${description === undefined ? message : `must be ${description}`}`;
}
