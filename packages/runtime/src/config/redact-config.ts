/** What is shown instead of a secret. */
export const redacted = "(secret)";

/** Settings whose whole value is a secret, by the words in their names. */
const secretName = /(TOKEN|PASSWORD|SECRET|CREDENTIALS?|HEADERS|KEY|KEYS|COOKIE)$/;

/** Settings of that name that hold no secret: durations and other numbers are none anyway. */
const isSecret = (name: string, value: unknown): boolean =>
  typeof value === "string" && secretName.test(name);

/**
 * Parameters of the URLs of Postgres and RabbitMQ that are no secrets. Others may be: Postgres
 * knows `password`.
 */
const openParameters: ReadonlySet<string> = new Set([
  "application_name",
  "auth_mechanism",
  "cacertfile",
  "certfile",
  "channelMax",
  "channel_binding",
  "channel_max",
  "connect_timeout",
  "connection_timeout",
  "dbname",
  "frameMax",
  "frame_max",
  "heartbeat",
  "host",
  "keyfile",
  "locale",
  "pgbouncer",
  "pooler",
  "port",
  "server_name_indication",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslnegotiation",
  "sslrootcert",
  "target_session_attrs",
  "user",
  "verify",
]);

/**
 * A configuration as operators may see it: secrets are replaced by `(secret)`, and URLs lose their
 * passwords. A URL that cannot be taken apart is a secret as a whole.
 */
export const redactConfig = (
  config: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      isSecret(name, value) ? redacted : redactValue(value),
    ]),
  );

const redactValue = (value: unknown): unknown =>
  typeof value === "string" && value.includes("://") ? redactUrl(value) : value;

const partsOfUrl = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#\\]*)@)?([^@?#]*)(?:\?([^#@]*))?$/i;

/**
 * Leaves scheme, user, hosts, path and known parameters: also of a URL that names several hosts.
 */
function redactUrl(url: string): string {
  const [, scheme, login, place = "", query] = partsOfUrl.exec(url) ?? [];
  if (scheme === undefined) return redacted;
  const user = login === undefined ? "" : `${login.split(":")[0]}@`;
  const parameters =
    query === undefined ? "" : `?${query.split("&").map(redactParameter).join("&")}`;
  return `${scheme}${user}${place}${parameters}`;
}

function redactParameter(parameter: string): string {
  const [name = ""] = parameter.split("=");
  return openParameters.has(name) || parameter === name ? parameter : `${name}=${redacted}`;
}
