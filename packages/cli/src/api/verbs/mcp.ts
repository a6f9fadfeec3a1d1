import { own } from "../own-options.ts";
import type { Verb } from "../verb.ts";

/** Serves tools for machines that read. What they need is loaded when it runs. */
export const mcpVerb: Verb = {
  name: "mcp",
  operands: [],
  operations: [],
  summary: "serve tools for machines that read, by the Model Context Protocol",
  details:
    "Serves over standard input and output, or over HTTP on this host, until the client goes or a signal comes.",
  options: own("http", "port", "allow-writes"),
  examples: ["mcp --url http://127.0.0.1:3000 --token-file token", "mcp --http --port 0"],
  exits: "0 the client closed the connection; 2 wrong use",
  run: async (invocation) => (await import("../../mcp/mcp.ts")).mcp(invocation),
};
