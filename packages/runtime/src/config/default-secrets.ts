import { BlockList, isIP } from "node:net";
import { parse as readPostgresUrl } from "pg-connection-string";
import { serverUrls } from "./server-urls.ts";
import { isGuessable } from "./token-strength.ts";

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

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Finds secrets that others could use: a published or guessable token while we listen beyond this machine, or the
 * published password of a server on another machine. One sentence for each.
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

function urlFault(name: string, url: string): readonly string[] {
  const login = serverUrls(url)
    .map(loginOf)
    .find((one) => one !== null && known.has(one.password.toLowerCase()) && !isLoopback(one.host));
  if (login === undefined || login === null) return [];
  return [
    `${name} ${login.isNamed ? "has" : "names no user, so it stands for guest with"} a published default password, and ${login.host} is not this machine: set another password there and here`,
  ];
}

/** What a driver shows to a server. */
interface Login {
  readonly host: string;
  readonly password: string;
  /** False: the driver takes a login of its own. */
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
    return { host, password: decodeURIComponent(password), isNamed: true };
  } catch {
    return null;
  }
}

/** Of the parameters it would read the files. */
function loginOfPostgres(address: URL): Login {
  for (const name of ["sslcert", "sslkey", "sslrootcert", "sslmode"]) {
    address.searchParams.delete(name);
  }
  const { host, password = "" } = readPostgresUrl(address.href);
  return { host: host ?? "", password, isNamed: true };
}

/** Whether a host is this machine. A path is that of a socket, and without a host the drivers connect to this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  const version = isIP(name);
  if (version === 0) return name === "localhost" || name === "" || name.startsWith("/");
  return loopback.check(name, version === 4 ? "ipv4" : "ipv6");
}
