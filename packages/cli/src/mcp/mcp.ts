import { once } from "node:events";
import { type HoldfastClient, holdfastClient } from "@holdfast/client";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { askedOf, serviceOf } from "../api/connection.ts";
import type { Profile } from "../api/profiles.ts";
import { portOf } from "../api/values.ts";
import type { Invocation, Outcome } from "../api/verb.ts";
import { mcpServer } from "./mcp-server.ts";
import { serveHttp } from "./serve-http.ts";

const usualPort = "8288";
const done: Outcome = { value: undefined };

/** Serves until the client goes, or the process gets a signal to stop. */
export async function mcp({ text, flag, io }: Invocation): Promise<Outcome> {
  const allowWrites = flag("allow-writes");
  const client = openClient(serviceOf(askedOf(text), io));
  const open = () => mcpServer({ client, allowWrites });
  if (flag("http")) {
    await using served = await serveHttp(open, portOf(text("port") ?? usualPort, { least: 0 }));
    // Standard output is data; this is talk.
    io.err(`MCP is served at ${served.url}${allowWrites ? ", with writes" : ""}\n`);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    return done;
  }
  const server = open();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  for (const end of ["end", "close"]) process.stdin.once(end, () => resolve());
  await server.connect(new StdioServerTransport());
  await closed;
  return done;
}

/** Milliseconds: a model waits for the answer. */
const patience = 15_000;
const retryFor = 2_000;

/** The client that the tools use. A request that takes too long ends with an error. */
const openClient = ({ url, token }: Pick<Profile, "url" | "token">): HoldfastClient =>
  holdfastClient({
    url,
    retryFor,
    ...(token === undefined ? {} : { token }),
    // A redirect would take the token to another host.
    fetch: (to, init) =>
      fetch(to, { ...init, redirect: "error", signal: AbortSignal.timeout(patience) }),
  });
