import { decodePercents } from "@holdfast/domain";
import { parseIntoClientConfig } from "pg-connection-string";
import { asSetting, hostText } from "./broker-url.ts";
import {
  hostsOf,
  mustBeKnown,
  numberOf,
  parseServerUrl,
  type ServerUrl,
  type UrlHost,
  UrlProblem,
  wordOf,
} from "./server-url.ts";

const storeUrlForm = "a Postgres URL such as postgres://user:password@host:5432/database";

/** Parameters of libpq that say where the server is, and who connects. */
const placeParameters = ["host", "port", "user", "password", "dbname"] as const;

/** Parameters that the driver reads, or that are read here. */
const known = [
  ...placeParameters,
  "application_name",
  "channel_binding",
  "connect_timeout",
  "enableChannelBinding",
  "options",
  "pgbouncer",
  "pooler",
  "ssl",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslnegotiation",
  "sslrootcert",
  "target_session_attrs",
  "uselibpqcompat",
];

/**
 * Splits a URL of Postgres, in any form that libpq knows, into one URL for each server that it
 * names, in the one form that the driver and `URL` read alike: with one host, its login before it,
 * and a socket's folder as the parameter `host`. Throws `config.invalid`, in words that repeat
 * nothing of the URL but the names of parameters.
 */
export function storeUrls(
  text: string,
  setting = "STATE_STORE_URL",
): readonly [string, ...string[]] {
  return asSetting(setting, storeUrlForm, () => {
    const url = parseServerUrl(text);
    if (!/^postgres(ql)?$/.test(url.scheme)) throw new UrlProblem("form", "");
    mustBeKnown(url, known, { server: "Postgres" });
    mustBeUsable(url);
    const [first, ...others] = placesOf(url).map((place) => urlOf(url, place));
    return [first ?? urlOf(url, here), ...others];
  });
}

/** The place of a URL without a host: libpq and the driver take this machine. */
const here: UrlHost = { host: "localhost", port: null };

function mustBeUsable(url: ServerUrl): void {
  wordOf(url, "pooler", ["transaction", "session"]);
  wordOf(url, "pgbouncer", ["true", "false"]);
  wordOf(url, "channel_binding", ["disable", "prefer", "require"]);
  wordOf(url, "sslmode", ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"]);
  wordOf(url, "sslnegotiation", ["postgres", "direct"]);
  numberOf(url, "connect_timeout", [0, 3_600]);
  // Every connection must accept writes.
  wordOf(url, "target_session_attrs", ["read-write", "primary"]);
}

/**
 * Hosts in parameters stand for those before the path; there is a port for each of them, or one for
 * all.
 */
function placesOf({ hosts, parameters }: ServerUrl): readonly UrlHost[] {
  const host = parameters.get("host") ?? "";
  const ports = (parameters.get("port") ?? "").split(",");
  const given = host === "" ? hosts : host.split(",").flatMap((one) => hostsOf(asHost(one)));
  if (given.some(({ host: one }) => one.startsWith("@"))) {
    throw new UrlProblem("form", "a socket is named by its folder, ?host=/run/postgresql");
  }
  return (given.length === 0 ? [here] : given).map((one, index) => {
    const digits = ports[ports.length === 1 ? 0 : index] ?? "";
    if (!/^\d{0,5}$/.test(digits))
      throw new UrlProblem("part", "has a parameter port that is none");
    return digits === "" ? one : { ...one, port: Number(digits) };
  });
}

/**
 * A host of a parameter stands there as it is: an IPv6 address without brackets, a folder with its
 * slashes.
 */
const asHost = (text: string): string =>
  text.includes(":") && !text.startsWith("[") && !text.startsWith("/")
    ? `[${encodeURIComponent(text).replaceAll("%3A", ":")}]`
    : text.startsWith("/")
      ? encodeURIComponent(text)
      : text;

function urlOf({ scheme, user, password, path, parameters }: ServerUrl, place: UrlHost): string {
  const isSocket = place.host.startsWith("/");
  const who = parameters.get("user") ?? user;
  const secret = parameters.get("password") ?? password;
  const database = parameters.get("dbname") ?? path;
  const login =
    who === null && secret === null
      ? ""
      : `${encodeURIComponent(who ?? "")}${secret === null ? "" : `:${encodeURIComponent(secret)}`}@`;
  const others = [...parameters].filter(([name]) => !placeParameters.some((one) => one === name));
  const all = [...(isSocket ? [["host", place.host] as const] : []), ...others].flatMap(asDriver);
  const query = all.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const host = hostText(isSocket ? { ...place, host: "localhost" } : place);
  const end = `${database === null ? "" : `/${encodeURIComponent(nameable(database))}`}${query === "" ? "" : `?${query}`}`;
  return `${scheme}://${login}${host}${end}`;
}

/** The driver reads a URL as folders are read: a dot or two would lead it to another database. */
function nameable(database: string): string {
  if (!/^\.\.?$/.test(database)) return database;
  throw new UrlProblem(
    "part",
    "names a database of a dot or two, which the driver cannot be given",
  );
}

/** What a parameter of libpq, or of another library, is for the driver. */
function asDriver([name, value]: readonly [string, string]): readonly (readonly [
  string,
  string,
])[] {
  switch (name) {
    case "pgbouncer":
      return value.toLowerCase() === "true" ? [["pooler", "transaction"]] : [];
    case "sslrootcert":
      // The driver takes it for the name of a file; without one, it trusts the authorities that
      // Node trusts.
      return value === "system" ? [["ssl", "true"]] : [[name, value]];
    case "channel_binding":
      return value.toLowerCase() === "disable" ? [] : [["enableChannelBinding", "true"]];
    default:
      return [[name, value]];
  }
}

/** The files that a URL of Postgres names. */
export const filesOfStore = (text: string): readonly (readonly [string, string])[] => {
  const { parameters } = parseServerUrl(text);
  return ["sslcert", "sslkey", "sslrootcert"].flatMap((name) => {
    const file = parameters.get(name) ?? "";
    return file === "" || file === "system" ? [] : [[name, file] as const];
  });
};

/** Milliseconds that one of `storeUrls` gives a connection to be made; null: it says nothing. */
export function connectTimeoutOf(url: string): number | null {
  const seconds = Number(new URL(url).searchParams.get("connect_timeout") ?? 0);
  return seconds === 0 ? null : seconds * 1_000;
}

/**
 * What the driver is given for one of `storeUrls`. The files of certificates are read anew each
 * time, so they may be replaced. Throws where one cannot be read.
 */
export function storeConnection(url: string): Readonly<Record<string, unknown>> {
  const { pathname } = new URL(url);
  // The driver's own reader leaves reserved characters encoded.
  const path = pathname.slice(1);
  const database = path === "" ? {} : { database: decodePercents(path) ?? path };
  return { ...parseIntoClientConfig(url), ...database };
}
