import { askKept, readManagementUrl } from "@holdfast/runtime/management-api";

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
  const { base, user, password } = readManagementUrl(managementUrl);
  const url = new URL([base, "api", ...path.map(encodeURIComponent)].join("/"));
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
