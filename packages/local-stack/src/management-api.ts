/** Calls RabbitMQ's HTTP API. The URL holds user and password, which `fetch` does not take in a URL. */
export async function callManagement<Answer>(
  managementUrl: string,
  method: "GET" | "PUT" | "DELETE",
  path: readonly string[],
  body?: Readonly<Record<string, string>>,
): Promise<Answer | null> {
  const url = new URL(["/api", ...path.map(encodeURIComponent)].join("/"), managementUrl);
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  url.username = url.password = "";
  const credentials = Buffer.from(`${user}:${password}`).toString("base64");
  const response = await fetch(url, {
    method,
    headers: { authorization: `Basic ${credentials}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // What is gone already needs no deleting.
  if (response.status === 404 && method === "DELETE") return null;
  if (!response.ok) throw new Error(`${method} ${url.pathname}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}
