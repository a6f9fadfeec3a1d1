import { decodePercents } from "@holdfast/domain";
import { parse as readPostgresUrl } from "pg-connection-string";
import { isLoopback } from "../http/addresses.ts";
import { serverUrls } from "./server-urls.ts";
import { storeUrls } from "./store-url.ts";

/** Passwords that stand in documentation, or that servers come with. */
const known: ReadonlySet<string> = new Set([
  "admin",
  "changeme",
  "default",
  "development",
  "development-operator",
  "example",
  "guest",
  "holdfast",
  "local-operator",
  "password",
  "postgres",
  "rabbitmq",
  "secret",
  "test",
]);

/**
 * Finds secrets that others could use: a published or guessable token while we listen beyond this
 * machine, or the published password of a server on another machine. One sentence for each.
 */
export function defaultSecrets(config: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    if (name.endsWith("_TOKEN")) return tokenFault(name, value, config);
    return name.endsWith("_URL") ? urlFault(name, value) : [];
  });
}

function tokenFault(
  name: string,
  value: string,
  config: Readonly<Record<string, unknown>>,
): readonly string[] {
  const host = config["HTTP_HOST"];
  if (typeof host !== "string" || isLoopback(host)) return [];
  const isPublished = known.has(value.toLowerCase());
  if (!isPublished && !isGuessable(value)) return [];
  const fault = isPublished ? "is a published default value" : "is easy to guess";
  return [
    `${name} ${fault}, and HTTP_HOST ${host} can be reached from other machines: set ${name} to what openssl rand -base64 32 prints, or HTTP_HOST=127.0.0.1`,
  ];
}

/**
 * Bits that a token has at least, by the count below: 128 random ones, in hexadecimal or base64,
 * are more.
 */
const leastBits = 70;

/**
 * Whether a token could be found by trying: it is short, has few characters, repeats itself or
 * counts up.
 */
const isGuessable = (token: string): boolean => bitsOf(token) < leastBits;

/**
 * A token that repeats a part counts as that part, and a run such as `aaaa` or `1234` as its first
 * two characters.
 */
function bitsOf(token: string): number {
  const once = token.slice(0, periodOf(token));
  const counted = once.split("").filter((_, index) => !continuesRun(once, index));
  return counted.length * Math.log2(new Set(counted).size);
}

function periodOf(text: string): number {
  for (let period = 1; period < text.length; period += 1) {
    if (text.startsWith(text.slice(period))) return period;
  }
  return text.length;
}

function continuesRun(text: string, index: number): boolean {
  if (index < 2) return false;
  const step = text.charCodeAt(index) - text.charCodeAt(index - 1);
  return Math.abs(step) <= 1 && step === text.charCodeAt(index - 1) - text.charCodeAt(index - 2);
}

function urlFault(name: string, url: string): readonly string[] {
  const login = urlsIn(url)
    .map(loginOf)
    .find(
      (one) => one !== null && known.has(one.password.toLowerCase()) && !isThisMachine(one.host),
    );
  if (login === undefined || login === null) return [];
  return [
    `${name} ${login.isNamed ? "has" : "names no user, so it stands for guest with"} a published default password, and ${login.host} is not this machine: set another password there and here`,
  ];
}

/**
 * The URL of each server, in a form that `loginOf` reads; of a text that is refused elsewhere as
 * well as can be.
 */
function urlsIn(url: string): readonly string[] {
  try {
    return storeUrls(url);
  } catch {
    return serverUrls(url);
  }
}

/** What a driver shows to a server. */
interface Login {
  readonly host: string;
  readonly password: string;
  /** Whether the URL names a login. False: the driver takes one of its own. */
  readonly isNamed: boolean;
}

/** How the driver reads the URL of one server; null: it refuses it. */
function loginOf(url: string): Login | null {
  try {
    const address = new URL(url);
    if (/^postgres(ql)?:$/.test(address.protocol)) return loginOfPostgres(address);
    const { hostname: host, username, password } = address;
    // The client of RabbitMQ connects as guest.
    if (/^amqps?:$/.test(address.protocol) && username === "" && password === "") {
      return { host, password: "guest", isNamed: false };
    }
    const decoded = decodePercents(password);
    return decoded === null ? null : { host, password: decoded, isNamed: true };
  } catch {
    return null;
  }
}

/** The login of a URL of Postgres, without the parameters whose files reading it would open. */
function loginOfPostgres(address: URL): Login {
  for (const name of ["sslcert", "sslkey", "sslrootcert", "sslmode"]) {
    address.searchParams.delete(name);
  }
  const { host, password = "" } = readPostgresUrl(address.href);
  return { host: host ?? "", password, isNamed: true };
}

/**
 * Whether a driver takes a host for this machine. A path is that of a socket, and without a host it
 * connects to this machine.
 */
const isThisMachine = (host: string): boolean =>
  host === "" || host.startsWith("/") || isLoopback(host);
