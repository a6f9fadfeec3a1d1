import { accessSync, constants } from "node:fs";
import { ContractFault, parseDuration } from "@holdfast/domain";
import { Ajv, type ErrorObject, type SchemaValidateFunction } from "ajv";
import { type Static, type TObject, type TStringOptions, Type } from "typebox";
import { everyAddress } from "../http/listen-at.ts";
import { longestSetting, TracingConfig } from "../tracing/tracing-config.ts";
import { filesOfBroker, readBrokerUrl, readManagementUrl } from "./broker-url.ts";
import { type Environment, fileOf, readVariable } from "./read-variable.ts";
import { serverUrls } from "./server-urls.ts";
import { filesOfStore, storeUrls } from "./store-url.ts";

const durationKeyword = "holdfastDuration";
/** What kind of server a URL names. */
const serverKeyword = "holdfastServer";
const off = "off";

/** Milliseconds. A timer of Node that is to wait longer fires at once. */
const longestTimer = "24d";

interface DurationOptions {
  readonly default?: string;
  /** The shortest one; 0 unless said otherwise. */
  readonly least?: string;
  /** The longest one; as long as a timer can wait unless said otherwise. */
  readonly most?: string;
}

const durationSchema = (
  { least = "0ms", most = longestTimer, ...options }: DurationOptions,
  orOff = false,
) => ({
  type: "string",
  maxLength: 20,
  description: `a duration from ${least} to ${most}, such as 250ms, 30s, 5m, 2h or 1d${orOff ? ", or off" : ""}`,
  [durationKeyword]: { least, most, orOff },
  ...options,
});

/** "250ms", "30s", "5m", "2h", "90d" in the environment; milliseconds in the code. */
export const Duration = (options: DurationOptions = {}) =>
  Type.Unsafe<number>(durationSchema(options));

/** A duration; "off", the default unless said otherwise, is null in the code. */
export const DurationOrOff = (options: DurationOptions = {}) =>
  Type.Unsafe<number | null>(durationSchema({ default: off, ...options }, true));

/** The longest duration for what is kept in the state store: a hundred years. */
export const longestKept = "36500d";

/** A text; 1,000 characters at most unless said otherwise. */
export const Text = (options: TStringOptions = {}) => Type.String({ maxLength: 1_000, ...options });

/** Names, separated by commas. */
export const Names = (options: TStringOptions) => Text({ pattern: "^[^,]+(,[^,]+)*$", ...options });

export const Integer = (options: {
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** An earlier name of the setting: a process that is given it does not start. */
  readonly formerly?: string;
}) => Type.Integer(options);

/** A port of this host; 0 takes a free one, unless its service says otherwise. */
export const Port = (otherwise: number) =>
  Integer({ default: otherwise, minimum: 0, maximum: 65_535 });

/** Connections to the state store that one process may hold. */
export const StoreConnections = Integer({ default: 6, minimum: 2, maximum: 100 });

/** The URL of Postgres, with a login of this process's own. */
export const StateStoreUrl = Text({
  maxLength: longestSetting,
  [serverKeyword]: "store",
  description: "a Postgres URL such as postgres://user:password@host:5432/database",
});

/** The URL of RabbitMQ, with a user of this process's own. */
export const BrokerUrl = Text({
  maxLength: longestSetting,
  [serverKeyword]: "broker",
  description: "a RabbitMQ URL such as amqp://user:password@host:5672/vhost",
});

/**
 * How long a server may refuse the login until the process ends with exit code 77; `off`: for ever.
 * A login that changes in its file counts anew.
 */
export const LoginTimeout = DurationOrOff({ default: "5m", least: "1s" });

/** RabbitMQ's HTTP API, with user and password. Without it some things cannot be seen. */
export const BrokerManagementUrl = Text({
  maxLength: longestSetting,
  [serverKeyword]: "management",
  description: "a URL such as http://user:password@host:15672",
});

/**
 * The largest message that is read from the broker, in bytes: the same for all services and Agents.
 */
export const MaxMessageBytes = Integer({
  default: 1024 * 1024,
  minimum: 64 * 1024,
  maximum: 128 * 1024 * 1024,
});

/**
 * `on` publishes task events to `holdfast.events` as CloudEvents. Alerts, and statuses that a
 * submitter asked for, are always sent. Set the same value on submission, scheduler and supervisor.
 */
export const Events = Type.Union([Type.Literal("on"), Type.Literal("off")], { default: "off" });

/**
 * `on`: takes the virtual host over from another state store, which is gone, with what waits in its
 * queues. For one start, on submission, scheduler and supervisor.
 */
export const BrokerTakeOver = Type.Union([Type.Literal("on"), Type.Literal("off")], {
  default: "off",
});

/**
 * The configuration of every service. Keys are the environment variables' own names, so grep finds
 * both.
 */
export const BaseConfig = Type.Object({
  /** The least severe log lines that are written. */
  LOG_LEVEL: Type.Union(
    ["trace", "debug", "info", "warn", "error"].map((level) => Type.Literal(level)),
    { default: "info" },
  ),
  /** How long a process may finish what it has begun after SIGTERM. */
  SHUTDOWN_GRACE: Duration({ default: "10s" }),
  /** `allowed` starts with the secrets of the examples. For trial clusters only. */
  DEFAULT_SECRETS: Type.Union([Type.Literal("refused"), Type.Literal("allowed")], {
    default: "refused",
  }),
  /**
   * The address on which `/health/live`, `/health/ready` and `/metrics` answer; `::` is every one,
   * IPv4 and IPv6.
   */
  HEALTH_HOST: Text({ default: everyAddress }),
  /** The port of the health probes and of `/metrics`; 0 disables both. */
  HEALTH_PORT: Port(0),
  ...TracingConfig.properties,
});
export type BaseConfig = Static<typeof BaseConfig>;

/** The environment variables that a configuration reads. */
export const environmentNames = (schema: TObject): readonly string[] =>
  Object.keys(schema.properties);

/**
 * Reads a configuration from the environment. For each name `X` also `X_FILE` is understood: the
 * path of a file that holds the value, as secrets are mounted. An empty value counts as none.
 * Throws `config.invalid`, naming every fault at once, and no value: it may be a secret. A setting
 * under its earlier name is one.
 */
export function parseConfig<Schema extends TObject>(
  schema: Schema,
  env: Environment,
): Static<Schema> {
  const config: Record<string, unknown> = {};
  const unread = new Map<string, string>();
  for (const [name, { formerly = "" }] of Object.entries<Renamed>(schema.properties)) {
    if (env[formerly] || fileOf(formerly, env)) unread.set(formerly, `is called ${name} now`);
  }
  for (const name of environmentNames(schema)) {
    const { value, problem } = readVariable(name, env);
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

/**
 * Our own schemas are not held against the schema of schemas: to compile that takes longer than all
 * the rest.
 */
const ofOurOwn = { meta: false, validateSchema: false } as const;

/** Environment variables are strings: numbers and booleans are coerced, durations converted. */
function configReader(): Ajv {
  const ajv = new Ajv({
    ...ofOurOwn,
    allErrors: true,
    coerceTypes: true,
    useDefaults: true,
    strict: false,
  });
  ajv.addFormat("url", (text) => serverUrls(text).every((url) => URL.canParse(url)));
  ajv.addKeyword({ keyword: durationKeyword, modifying: true, validate: toMilliseconds });
  ajv.addKeyword({ keyword: serverKeyword, validate: isServerUrl });
  return ajv;
}

interface Place {
  readonly parentData: Record<string, unknown>;
  readonly parentDataProperty: string;
}

/** Reads the URL of a server as its driver will. What is wrong becomes the words of the error. */
function isServerUrl(
  kind: keyof typeof serverReaders,
  text: string,
  _schema?: object,
  place?: object,
): boolean {
  const { parentDataProperty: setting } = place as Place;
  try {
    for (const [name, file] of serverReaders[kind](text, setting)) {
      mustBeReadable(file, `${setting} names a ${name}`);
    }
    return true;
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    (isServerUrl as SchemaValidateFunction).errors = [
      { keyword: serverKeyword, message: error.message, params: {} },
    ];
    return false;
  }
}

/** Readers of the URLs of servers, which return the files that a URL names. */
const serverReaders = {
  store(text: string, setting: string) {
    storeUrls(text, setting);
    return filesOfStore(text);
  },
  broker: (text: string, setting: string) => filesOfBroker(readBrokerUrl(text, setting)),
  management(text: string, setting: string) {
    readManagementUrl(text, setting);
    return [];
  },
} as const;

function mustBeReadable(file: string, what: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new ContractFault(
      "config.invalid",
      `${what} that cannot be read: ${(error as Error).message}`,
    );
  }
}

interface DurationBounds {
  readonly least: string;
  readonly most: string;
  readonly orOff: boolean;
}

function toMilliseconds(
  bounds: DurationBounds,
  text: string,
  _schema?: object,
  place?: object,
): boolean {
  const { parentData, parentDataProperty } = place as Place;
  if (text === off && bounds.orOff) {
    parentData[parentDataProperty] = null;
    return true;
  }
  const duration = parseDuration(text);
  const isWithin =
    duration >= parseDuration(bounds.least) && duration <= parseDuration(bounds.most);
  if (!isWithin) return false;
  parentData[parentDataProperty] = duration;
  return true;
}

const nameOf = ({ instancePath, params }: ErrorObject): string =>
  (params as { readonly missingProperty?: string }).missingProperty ?? instancePath.slice(1);

/** A setting that had another name, unless programs of others may know a variable of that name. */
interface Renamed {
  readonly formerly?: string;
}

interface Property {
  readonly description?: string;
  readonly anyOf?: readonly { readonly const?: string }[];
}

function explain(error: ErrorObject, schema: TObject): string {
  const name = nameOf(error);
  const { description, anyOf } = (schema.properties[name] ?? {}) as Property;
  if (error.keyword === serverKeyword) return error.message ?? name;
  if (error.keyword === "required")
    return `${name} is missing: set it to ${description ?? "a value"}`;
  if (anyOf !== undefined)
    return `${name} must be one of ${anyOf.map((one) => one.const).join(", ")}`;
  return `${name} ${description === undefined ? error.message : `must be ${description}`}`;
}
