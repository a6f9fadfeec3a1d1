import { setTimeout as sleep } from "node:timers/promises";
import { operatorToken } from "@holdfast/processes";
import { holdfastCommand } from "@holdfast/test-servers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

/** What a tool answered. */
export interface Answered {
  readonly isError: boolean;
  readonly text: string;
  /** The text, if it is JSON. */
  readonly json: Record<string, unknown>;
  /** What stands below it. */
  readonly remarks: readonly string[];
}

/**
 * A client of the SDK that has started the command and talks to it over standard input and output.
 */
export async function connect(
  url: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...holdfastCommand, "mcp", ...args],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOLDFAST_URL: url,
      HOLDFAST_TOKEN: operatorToken,
      ...env,
    },
  });
  await client.connect(transport);
  return {
    tools: async () => (await client.listTools()).tools,
    call: (name: string, input: Record<string, unknown> = {}) => call(client, name, input),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Calls a tool. */
export async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<Answered> {
  const answer = await client.callTool({ name, arguments: input });
  const content = answer.content as readonly { readonly text: string }[];
  const [text = "", ...remarks] = content.map((one) => one.text);
  const json = /^[[{]/.test(text) ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { isError: answer.isError === true, text, json, remarks };
}

export type Session = Awaited<ReturnType<typeof connect>>;

/** Waits until a task is in this state. */
export async function taskIn(session: Session, id: unknown, state: string): Promise<Answered> {
  for (;;) {
    const found = await session.call("get_task", { id });
    if (found.json["state"] === state) return found;
    await sleep(50);
  }
}

/** The tools that change nothing. */
export const reads = [
  "get_task",
  "list_tasks",
  "count_tasks",
  "why",
  "list_failures",
  "list_approvals",
  "list_workflows",
  "show_workflow",
  "list_agents",
  "list_remotes",
  "show_overview",
  "doctor",
  "show_system",
  "list_dead_letters",
  "explain_error",
  "read_doc",
  "search_docs",
];
