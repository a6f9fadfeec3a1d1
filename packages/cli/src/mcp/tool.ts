import { Fault } from "@holdfast/domain";
import { z } from "zod";
import type { Api } from "./api.ts";

/** One thing that a machine can ask for. */
export interface Tool<Input extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  /** When to use it, and what it answers. */
  readonly description: string;
  readonly input: Input;
  /** Whether it changes something: offered only with `--allow-writes`. */
  readonly writes: boolean;
  /** What it answers, as JSON or as a text. Throws a `Fault`. */
  readonly run: (input: z.output<z.ZodObject<Input>>, api: Api) => Promise<unknown>;
}

/** A tool, its input forgotten. */
export const defineTool = <Input extends z.ZodRawShape>(tool: Tool<Input>): Tool =>
  tool as unknown as Tool;

/** What a tool sends back. An answer that is too long is cut: a model reads it. */
export interface ToolAnswer {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

const longest = 60_000;

/** Runs a tool. A fault is an answer that says what went wrong and what to do, never a stack. */
export async function answer(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  api: Api,
): Promise<ToolAnswer> {
  try {
    const found = await tool.run(input, api);
    const text = typeof found === "string" ? found : JSON.stringify(found, null, 1);
    return { content: [{ type: "text", text: cut(text) }] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fault = { code: error.code, message: error.message, transient: error.transient };
    return { content: [{ type: "text", text: JSON.stringify(fault, null, 1) }], isError: true };
  }
}

const cut = (text: string): string =>
  text.length <= longest
    ? text
    : `${text.slice(0, longest)}\n… ${text.length - longest} more characters are left out: ask for less.`;

export const TaskId = z.string().min(1).max(200).describe("The id of a task.");
