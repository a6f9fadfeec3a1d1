import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PermanentFault } from "@holdfast/domain";
import { defaultLimits, openGuard } from "@holdfast/runtime/http";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

const host = "127.0.0.1";
const path = "/mcp";
/** Its clients are all on this host. */
const limits = { ...defaultLimits, connections: 200, addressShare: 100 };

/** An MCP server over HTTP; disposal closes it. */
export interface ServedHttp extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves MCP over HTTP, on this host only. Each request has a server of its own: nothing is kept between them. A
 * browser that was led here by another site's name, or calls from a page, is refused.
 */
export async function serveHttp(open: () => McpServer, port: number): Promise<ServedHttp> {
  const server = openGuard(limits).server((request, response) => {
    handle(open, request, response).catch(() => {
      if (!response.headersSent) refuse(response, 500, "The request could not be handled.");
    });
  });
  await listen(server, port);
  const { port: found } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${found}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error) =>
    reject(
      new PermanentFault(
        "config.invalid",
        `Port ${port} of ${host} cannot be used (${error.message}): choose another one with --port.`,
      ),
    ),
  );
  server.listen(port, host, resolve);
  return promise;
}

async function handle(
  open: () => McpServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = "", method, headers } = request;
  if (headers.origin !== undefined) return refuse(response, 403, "Web pages are not served.");
  if (url.split("?")[0] !== path) return refuse(response, 404, `MCP is served at ${path}.`);
  if (method !== "POST") return refuse(response, 405, "Use POST.");
  const server = open();
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  const error = { code: -32_000, message };
  response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
}
