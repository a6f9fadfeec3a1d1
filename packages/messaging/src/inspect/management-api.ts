import { errorText, PermanentFault, TransientFault } from "@holdfast/domain";
import { readBrokerUrl } from "@holdfast/runtime";
import { askKept, readManagementUrl } from "@holdfast/runtime/management-api";

/** Milliseconds. */
const answerWithin = 5_000;
const unhealthy = 503;
const [unauthorized, forbidden, notFound] = [401, 403, 404];

/** The address of RabbitMQ's HTTP API, and the virtual host that it is asked about. */
export interface ManagementAddress {
  /** The URL with user and password. */
  readonly url: string;
  /** Names the virtual host. */
  readonly brokerUrl: string;
}

interface Call {
  /** The URL with user and password. */
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: object;
  /** Milliseconds; 5 s unless said otherwise. */
  readonly withinMs?: number;
}

/**
 * Calls RabbitMQ's HTTP API. Throws `broker.unreachable` when it does not answer, `broker.refused`
 * when it refuses this user, and `broker.request_failed` with its own words otherwise. Deleting
 * what is gone is no failure.
 */
export async function callManagement<Body>(call: Call): Promise<Body> {
  const { method = "GET", path, body, withinMs = answerWithin } = call;
  const { base, user, password } = readManagementUrl(call.url);
  // The API may stand below a path (`management.path_prefix`, or a proxy).
  const url = new URL(`${base}${path}`);
  // `fetch` does not take them in a URL.
  const credentials = [user, password].join(":");
  const request = {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(withinMs),
  };
  const response = await askKept(url, request).catch((cause: unknown) => {
    throw unreachable(url, cause);
  });
  const text = await response.text();
  const isGone = response.status === notFound && method === "DELETE";
  if (response.ok || response.status === unhealthy || isGone) {
    return (text === "" || isGone ? null : JSON.parse(text)) as Body;
  }
  if (response.status === unauthorized || response.status === forbidden) {
    throw new PermanentFault(
      "broker.refused",
      `${url.host} answers ${response.status}: it refuses the user ${user}. Check BROKER_MANAGEMENT_URL, and that the user has the tag that this needs.`,
    );
  }
  throw new PermanentFault(
    "broker.request_failed",
    `${method} ${url.pathname} answers ${response.status} ${text.slice(0, 200)}`,
  );
}

function unreachable(url: URL, cause: unknown): TransientFault {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return new TransientFault(
    "broker.unreachable",
    `RabbitMQ's HTTP API at ${url.host} does not answer: is the management plugin on, and is BROKER_MANAGEMENT_URL right? (${errorText(inner)})`,
    { cause },
  );
}

/** Reads the virtual host of a URL as AMQP clients do: no path is the virtual host `/`. */
export const vhostOf = (brokerUrl: string): string => readBrokerUrl(brokerUrl).vhost;
