/**
 * Calls RabbitMQ's HTTP API, and resolves to the JSON that it answers with; null: to nothing. The
 * URL holds user and password, which `fetch` does not take in a URL.
 */
export async function callManagement(
  managementUrl: string,
  method: "GET" | "PUT" | "POST" | "DELETE",
  path: readonly string[],
  body?: object,
): Promise<unknown> {
  const url = new URL(managementUrl);
  // The API may stand below a path.
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = [base, "api", ...path.map(encodeURIComponent)].join("/");
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  url.username = url.password = "";
  const credentials = Buffer.from(`${user}:${password}`).toString("base64");
  const response = await askKept(url, {
    method,
    headers: { authorization: `Basic ${credentials}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  // What is gone already needs no deleting.
  const gone = response.status === 404 && method === "DELETE";
  const text = await response.text();
  if (!response.ok && !gone) {
    throw new Error(`${method} ${url.pathname}: ${response.status} ${text}`);
  }
  return gone || text === "" ? null : (JSON.parse(text) as unknown);
}

const mostClosed = 5;

/**
 * Asks once more where RabbitMQ has just closed the connection that was kept, as 4.3 does. Each
 * request may be repeated.
 */
async function askKept(url: URL, request: RequestInit): Promise<Response> {
  for (let closed = 1; ; closed += 1) {
    try {
      return await fetch(url, request);
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
      const isClosed = code === "UND_ERR_SOCKET" || code === "ECONNRESET";
      if (closed > mostClosed || !isClosed) throw error;
    }
  }
}
