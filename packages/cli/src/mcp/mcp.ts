import { once } from "node:events";
import { type HoldfastClient, holdfastClient } from "@holdfast/client";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Answer } from "../command.ts";
import { readArguments, usageFault } from "../read-arguments.ts";
import { settingFrom } from "../settings.ts";
import { writeError } from "../terminal.ts";
import { mcpServer } from "./mcp-server.ts";
import { serveHttp } from "./serve-http.ts";

const mcpUsage = `holdfast mcp [options]

  Serves tools for machines that read, by the Model Context Protocol: over standard input and output, or over HTTP on
  this host. Asks the HTTP API at HOLDFAST_URL, with the operators' token in HOLDFAST_TOKEN.

  --url URL          instead of HOLDFAST_URL; http://127.0.0.1:3000 unless either is set
  --token-file FILE  the operators' token is in it; otherwise HOLDFAST_TOKEN, or the file HOLDFAST_TOKEN_FILE
  --http             serve HTTP at http://127.0.0.1:8288/mcp instead of standard input and output
  --port PORT        another port; 0 chooses a free one (--http)
  --allow-writes     offer tools that submit, resubmit and undo as well; without it nothing can be changed

exit code: 0 the client closed the connection; 2 wrong use`;

const usualUrl = "http://127.0.0.1:3000";
const usualPort = 8288;
const done: Answer = { exitCode: 0, text: "", json: null };

/** Serves until the client goes, or the process gets a signal to stop. */
export async function mcp(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Answer> {
  const { values } = parse(args);
  if (values.help) return { exitCode: 0, text: mcpUsage, json: { usage: mcpUsage } };
  const allowWrites = values["allow-writes"];
  const client = openClient({
    url: urlOf(values.url ?? env["HOLDFAST_URL"] ?? usualUrl),
    token: settingFrom(withTokenFile(env, values["token-file"]), "HOLDFAST_TOKEN"),
  });
  const open = () => mcpServer({ client, allowWrites });
  if (values.http) {
    await using served = await serveHttp(open, portOf(values.port));
    // Standard output is data; this is talk.
    writeError(`MCP is served at ${served.url}${allowWrites ? ", with writes" : ""}\n`);
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

function parse(args: readonly string[]) {
  return readArguments({
    args: [...args],
    options: {
      url: { type: "string" },
      "token-file": { type: "string" },
      http: { type: "boolean", default: false },
      port: { type: "string" },
      "allow-writes": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false, short: "h" },
    },
  });
}

const withTokenFile = (env: NodeJS.ProcessEnv, file: string | undefined): NodeJS.ProcessEnv =>
  file === undefined ? env : { HOLDFAST_TOKEN_FILE: file };

function urlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw usageFault(`${text} is no URL of an HTTP API, such as ${usualUrl}`);
}

function portOf(text: string | undefined): number {
  const port = text === undefined ? usualPort : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw usageFault(`${text} is no port: a number from 0 to 65535`);
}

/** How the HTTP API of a Holdfast is reached. */
interface ApiSettings {
  readonly url: string;
  /** The operators' token; null: only routes that need none are answered. */
  readonly token: string | null;
}

/** Milliseconds: a model waits for the answer. */
const patience = 15_000;
const retryFor = 2_000;

/** The client that the tools use. A request that takes too long ends with an error. */
const openClient = ({ url, token }: ApiSettings): HoldfastClient =>
  holdfastClient({
    url,
    retryFor,
    ...(token === null ? {} : { token }),
    // A redirect would take the token to another host.
    fetch: (to, init) =>
      fetch(to, { ...init, redirect: "error", signal: AbortSignal.timeout(patience) }),
  });
