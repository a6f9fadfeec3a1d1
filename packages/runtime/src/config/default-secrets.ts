import { isIPv4, isIPv6 } from "node:net";

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
 * Finds published default secrets that others could use: a token while we listen beyond this machine, or
 * the password of a server on another machine. One sentence for each.
 */
export function defaultSecrets(config: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    if (name.endsWith("_TOKEN")) return tokenFault(name, value, config);
    return name.endsWith("_URL") && URL.canParse(value) ? urlFault(name, new URL(value)) : [];
  });
}

function tokenFault(
  name: string,
  value: string,
  config: Readonly<Record<string, unknown>>,
): readonly string[] {
  const host = config["HTTP_HOST"];
  if (!known.has(value.toLowerCase()) || typeof host !== "string" || isLoopback(host)) return [];
  return [
    `${name} is a published default value, and HTTP_HOST ${host} can be reached from other machines: set another ${name}, or HTTP_HOST=127.0.0.1`,
  ];
}

function urlFault(name: string, url: URL): readonly string[] {
  const password = decodeURIComponent(url.password).toLowerCase();
  if (!known.has(password) || isLoopback(url.hostname)) return [];
  return [
    `${name} has a published default password, and ${url.hostname} is not this machine: set another password there and here`,
  ];
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  if (isIPv4(name)) return name.startsWith("127.");
  return isIPv6(name) ? name === "::1" : name === "localhost" || name === "";
}
