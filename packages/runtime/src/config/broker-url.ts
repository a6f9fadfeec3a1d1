import { ContractFault } from "@holdfast/domain";
import {
  mustBeKnown,
  numberOf,
  parseServerUrl,
  type ServerUrl,
  type UrlHost,
  UrlProblem,
  wordOf,
} from "./server-url.ts";

/** What a URL of RabbitMQ says. */
export interface BrokerAddress {
  readonly isEncrypted: boolean;
  readonly nodes: readonly UrlHost[];
  readonly user: string | null;
  readonly password: string | null;
  readonly vhost: string;
  /** `external`: the user is that of the client's certificate. */
  readonly mechanism: "plain" | "external";
  /** Seconds; null: what the client takes. */
  readonly heartbeat: number | null;
  readonly channelMax: number | null;
  readonly frameMax: number | null;
  /** Milliseconds; null: what the client takes. */
  readonly connectionTimeout: number | null;
  readonly tls: BrokerTls;
}

/**
 * Files and names of an encrypted connection. The files are read for each connection, so they may
 * be replaced.
 */
interface BrokerTls {
  readonly cacertfile: string | null;
  readonly certfile: string | null;
  readonly keyfile: string | null;
  /** The passphrase of the key. */
  readonly passphrase: string | null;
  readonly isVerified: boolean;
  readonly serverName: string | null;
}

const brokerUrlForm = "a RabbitMQ URL such as amqp://user:password@host:5672/vhost";

const tlsParameters = [
  "cacertfile",
  "certfile",
  "keyfile",
  "password",
  "verify",
  "server_name_indication",
] as const;

/** The parameters of RabbitMQ's own clients; three of them also as amqplib writes them. */
const known = [
  "heartbeat",
  "connection_timeout",
  "channel_max",
  "channelMax",
  "frame_max",
  "frameMax",
  "auth_mechanism",
  ...tlsParameters,
];

/**
 * Reads a URL of RabbitMQ. Throws `config.invalid`, in words that repeat nothing of the URL but the
 * names of parameters.
 */
export function readBrokerUrl(text: string, setting = "BROKER_URL"): BrokerAddress {
  return asSetting(setting, brokerUrlForm, () => {
    const url = parseServerUrl(text);
    if (!/^amqps?$/.test(url.scheme)) throw new UrlProblem("form", "");
    if (url.hosts.length === 0) throw new UrlProblem("form", "it names no host");
    if (url.hosts.some(({ host }) => host.startsWith("/"))) {
      throw new UrlProblem("form", "RabbitMQ has no sockets");
    }
    mustBeKnown(url, known, { server: "RabbitMQ" });
    return addressOf(url);
  });
}

function addressOf(url: ServerUrl): BrokerAddress {
  const { user, password, hosts: nodes, path, parameters } = url;
  const isEncrypted = url.scheme === "amqps";
  const stray = isEncrypted ? undefined : tlsParameters.find((name) => parameters.has(name));
  if (stray !== undefined) {
    throw new UrlProblem("part", `has the parameter ${stray}, which needs amqps://`);
  }
  const tls = tlsOf(url);
  const mechanism = wordOf(url, "auth_mechanism", ["plain", "external"]) ?? "plain";
  if (mechanism === "external" && tls.certfile === null) {
    throw new UrlProblem("part", "has auth_mechanism=external, which needs certfile and keyfile");
  }
  return {
    isEncrypted,
    nodes,
    user,
    password,
    // What has no path, and what ends with its slash, is the virtual host / for every client.
    vhost: path || "/",
    mechanism,
    heartbeat: numberOf(url, "heartbeat", [0, 65_535]),
    channelMax: eitherOf(url, ["channel_max", "channelMax"], [0, 65_535]),
    frameMax: eitherOf(url, ["frame_max", "frameMax"], [4_096, 2_147_483_647]),
    connectionTimeout: numberOf(url, "connection_timeout", [1, 3_600_000]),
    tls,
  };
}

const eitherOf = (
  url: ServerUrl,
  names: readonly string[],
  bounds: readonly [number, number],
): number | null =>
  names.map((name) => numberOf(url, name, bounds)).find((value) => value !== null) ?? null;

function tlsOf(url: ServerUrl): BrokerTls {
  const of = (name: (typeof tlsParameters)[number]) => url.parameters.get(name) ?? null;
  const [certfile, keyfile] = [of("certfile"), of("keyfile")];
  if (certfile === null && keyfile !== null) {
    throw new UrlProblem("part", "has the parameter keyfile, which needs certfile");
  }
  return {
    cacertfile: of("cacertfile"),
    certfile,
    // A file may hold both.
    keyfile: keyfile ?? certfile,
    passphrase: of("password"),
    isVerified: wordOf(url, "verify", ["verify_peer", "verify_none"]) !== "verify_none",
    serverName: of("server_name_indication"),
  };
}

/** The files that a URL of RabbitMQ names. */
export const filesOfBroker = ({ tls }: BrokerAddress): readonly (readonly [string, string])[] =>
  (["cacertfile", "certfile", "keyfile"] as const).flatMap((name) =>
    tls[name] === null ? [] : [[name, tls[name]] as const],
  );

/** Reads a URL; what is wrong with it becomes `config.invalid`, after the name of the setting. */
export function asSetting<Read>(setting: string, form: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error;
    const { kind, message } = error;
    const words =
      kind === "part" ? message : `must be ${form}${message === "" ? "" : `: ${message}`}`;
    throw new ContractFault("config.invalid", `${setting} ${words}`);
  }
}

const managementUrlForm = "a URL such as http://user:password@host:15672";

/** What a URL of RabbitMQ's HTTP API says. */
export interface ManagementAddress {
  readonly user: string;
  readonly password: string;
  /** The API without its login and without a slash at its end: it may stand below a path. */
  readonly base: string;
}

/** Reads a URL of RabbitMQ's HTTP API. Throws `config.invalid`, as `readBrokerUrl` does. */
export function readManagementUrl(
  text: string,
  setting = "BROKER_MANAGEMENT_URL",
): ManagementAddress {
  return asSetting(setting, managementUrlForm, () => {
    const url = parseServerUrl(text);
    const [first, ...others] = url.hosts;
    if (!/^https?$/.test(url.scheme)) throw new UrlProblem("form", "");
    if (first === undefined || others.length > 0 || first.host.startsWith("/")) {
      throw new UrlProblem("form", "it names one host");
    }
    mustBeKnown(url, [], { server: "it" });
    const path = (url.path ?? "").split("/").filter((part) => part !== "");
    return {
      user: url.user ?? "",
      password: url.password ?? "",
      base: [`${url.scheme}://${hostText(first)}`, ...path.map(encodeURIComponent)].join("/"),
    };
  });
}

/** A host and its port as a URL has them. */
export const hostText = ({ host, port }: UrlHost): string =>
  `${host.includes(":") ? `[${host.replace("%", "%25")}]` : host}${port === null ? "" : `:${port}`}`;
