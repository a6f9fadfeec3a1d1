export { readManagementUrl } from "../config/broker-url.ts";

/**
 * How often a request finds a connection closed that was kept, at most: as many are kept as ran
 * beside each other.
 */
const mostClosed = 5;

/**
 * Asks RabbitMQ's HTTP API over a connection that was kept, if there is one. A server may close it
 * at that moment, as RabbitMQ 4.3 does: then the request goes over another one. Each request to
 * this API may be repeated.
 */
export async function askKept(url: URL, request: RequestInit): Promise<Response> {
  for (let closed = 1; ; closed += 1) {
    try {
      return await fetch(url, request);
    } catch (error) {
      if (closed > mostClosed || !isClosed(error)) throw error;
    }
  }
}

function isClosed(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET";
}
