import { readFileSync } from "node:fs";
import { ContractFault } from "@holdfast/domain";
import { Ajv, type ErrorObject } from "ajv";
import { type Static, type TObject, Type } from "typebox";
import { serverUrls } from "./server-urls.ts";

const unitInMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const durationKeyword = "holdfastDuration";

/** "250ms", "30s", "5m", "2h", "90d" in the environment; milliseconds in the code. */
export const Duration = (options: { readonly default?: string } = {}) =>
  Type.Unsafe<number>({ type: "string", [durationKeyword]: true, ...options });

/** A duration; "off", as it is unless said otherwise, is null in the code. */
export const DurationOrOff = Type.Unsafe<number | null>({
  type: "string",
  [durationKeyword]: "or off",
  default: "off",
});

export const Integer = (options: {
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}) => Type.Integer(options);

export const StateStoreUrl = Type.String({
  format: "url",
  pattern: "^postgres(ql)?://",
  description: "a Postgres URL such as postgres://user:password@host:5432/database",
});

export const BrokerUrl = Type.String({
  format: "url",
  pattern: "^amqps?://",
  description: "a RabbitMQ URL such as amqp://user:password@host:5672/vhost",
});

/** The largest message that is read from the broker, in bytes: the same for all services and Agents. */
export const MaxMessageBytes = Integer({
  default: 1024 * 1024,
  minimum: 64 * 1024,
  maximum: 128 * 1024 * 1024,
});

/**
 * Whether what happens to tasks is told to everybody, as CloudEvents. Alerts always are, and a submitter
 * that asked for it. To be set alike for every service that moves tasks.
 */
export const Events = Type.Union([Type.Literal("on"), Type.Literal("off")], { default: "off" });

/** What every service can be told. Keys are the environment variables' own names, so grep finds both. */
export const BaseConfig = Type.Object({
  LOG_LEVEL: Type.Union(
    ["trace", "debug", "info", "warn", "error"].map((level) => Type.Literal(level)),
    { default: "info" },
  ),
  /** How long a service that was told to stop may finish what is in hand. */
  SHUTDOWN_GRACE: Duration({ default: "10s" }),
  /** `allowed`: starts with passwords and tokens that everybody knows, such as on a cluster for trying out. */
  DEFAULT_SECRETS: Type.Union([Type.Literal("refused"), Type.Literal("allowed")], {
    default: "refused",
  }),
  /** Where `/health/live` and `/health/ready` answer; port 0: nowhere. */
  HEALTH_HOST: Type.String({ default: "0.0.0.0" }),
  HEALTH_PORT: Integer({ default: 0, minimum: 0, maximum: 65_535 }),
});
export type BaseConfig = Static<typeof BaseConfig>;

/** The environment variables that a configuration reads. */
export const environmentNames = (schema: TObject): readonly string[] =>
  Object.keys(schema.properties);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a configuration from the environment. For each name `X` also `X_FILE` is understood: the
 * path of a file that holds the value, as secrets are mounted. An empty value counts as none. Throws
 * `config.invalid`, naming every fault at once, and no value: it may be a secret.
 */
export function parseConfig<Schema extends TObject>(
  schema: Schema,
  env: Environment,
): Static<Schema> {
  const config: Record<string, unknown> = {};
  const unread = new Map<string, string>();
  for (const name of environmentNames(schema)) {
    const { value, problem } = read(name, env);
    if (problem !== undefined) unread.set(name, problem);
    else if (value !== undefined && value !== "") config[name] = value;
  }
  const conforms = configReader().compile(schema);
  if (conforms(config) && unread.size === 0) return config as Static<Schema>;

  const errors = (conforms.errors ?? []).filter((error) => !unread.has(nameOf(error)));
  const faults = [
    ...[...unread].map(([name, problem]) => `${name} ${problem}`),
    ...errors.map((error) => explain(error, schema)),
  ];
  throw new ContractFault("config.invalid", [...new Set(faults)].join("\n"));
}

interface Read {
  readonly value?: string | undefined;
  readonly problem?: string;
}

function read(name: string, env: Environment): Read {
  const path = env[`${name}_FILE`] ?? "";
  if (path === "") return { value: env[name] };
  if ((env[name] ?? "") !== "") return { problem: `is set twice: unset it or ${name}_FILE` };
  try {
    return { value: readFileSync(path, "utf8").trim() };
  } catch (error) {
    return { problem: `cannot be read from ${path}: ${(error as Error).message}` };
  }
}

/** Environment variables are strings: numbers and booleans are coerced, durations converted. */
function configReader(): Ajv {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, strict: false });
  ajv.addFormat("url", (text) => serverUrls(text).every((url) => URL.canParse(url)));
  ajv.addKeyword({ keyword: durationKeyword, modifying: true, validate: toMilliseconds });
  return ajv;
}

interface Place {
  readonly parentData: Record<string, unknown>;
  readonly parentDataProperty: string;
}

function toMilliseconds(kind: unknown, text: string, _: unknown, place?: object): boolean {
  const { parentData, parentDataProperty } = place as Place;
  if (kind === "or off" && text === "off") {
    parentData[parentDataProperty] = null;
    return true;
  }
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return false;
  parentData[parentDataProperty] = Number(amount) * (unitInMs[unit] ?? 1);
  return true;
}

const nameOf = ({ instancePath, params }: ErrorObject): string =>
  (params as { readonly missingProperty?: string }).missingProperty ?? instancePath.slice(1);

interface Property {
  readonly description?: string;
  readonly anyOf?: readonly { readonly const?: string }[];
}

function explain(error: ErrorObject, schema: TObject): string {
  const name = nameOf(error);
  const { description, anyOf } = (schema.properties[name] ?? {}) as Property;
  if (error.keyword === "required")
    return `${name} is missing: set it to ${description ?? "a value"}`;
  if (error.keyword === durationKeyword) {
    return `${name} must be a duration such as 250ms, 30s, 5m, 2h or 90d`;
  }
  if (anyOf !== undefined)
    return `${name} must be one of ${anyOf.map((one) => one.const).join(", ")}`;
  return `${name} ${description === undefined ? error.message : `must be ${description}`}`;
}
