import type { IncomingMessage } from "node:http";
import { ChangedJson, type Json, parseJsonText, type ValueFault } from "@holdfast/domain";

/** What a client of MCP has sent: its JSON, or the answer to what JSON would have changed in it. */
export type Sent = { readonly json: unknown } | { readonly refusal: string };

/**
 * Reads a message of JSON-RPC as it was written: numbers that would be rounded and fields that
 * stand twice are answered with their places. Its server would read something else, and never know.
 * Throws a `SyntaxError` for what is no JSON.
 */
export function readSent(text: string): Sent {
  try {
    return { json: parseJsonText(text) };
  } catch (error) {
    if (error instanceof ChangedJson) return { refusal: refusalOf(error) };
    throw error;
  }
}

/** The lines of a client that are passed on; those that are refused are answered by `answer`. */
export async function* exactLines(
  source: AsyncIterable<Buffer>,
  answer: (line: string) => void,
): AsyncGenerator<string, void> {
  const utf8 = new TextDecoder();
  let rest = "";
  for await (const chunk of source) {
    const lines = (rest + utf8.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const refusal = refusalOfLine(line);
      if (refusal === null) yield `${line}\n`;
      else answer(`${refusal}\n`);
    }
  }
}

function refusalOfLine(line: string): string | null {
  try {
    const sent = readSent(line);
    return "refusal" in sent ? sent.refusal : null;
  } catch {
    // The server says what is wrong with what is no JSON.
    return null;
  }
}

interface Asked {
  readonly id?: Json;
  readonly method?: Json;
}

/** An answer that a model reads, where a tool was called; otherwise an error of the protocol. */
function refusalOf({ faults, json }: ChangedJson): string {
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  const { id = null, method }: Asked = isObject ? (json as Asked) : {};
  const message = faults.map(wordsOf).slice(0, 5).join("; ");
  const answered =
    method === "tools/call"
      ? { result: { content: [{ type: "text", text: faultText(message) }], isError: true } }
      : { error: { code: -32_602, message } };
  return JSON.stringify({ jsonrpc: "2.0", id, ...answered });
}

const faultText = (message: string): string =>
  JSON.stringify({ code: "request.invalid", message, transient: false }, null, 1);

const inArguments = "/params/arguments";
const wordsOf = ({ pointer, detail }: ValueFault): string =>
  `${pointer.startsWith(`${inArguments}/`) ? pointer.slice(inArguments.length) : pointer || "/"} ${detail}`;

/** Bytes of a message over HTTP. */
const mostBytes = 4 * 1024 * 1024;

/** The text of a request; null: it is too long. */
export async function textOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
