import type { HoldfastClient } from "@holdfast/client";
import type { OperationId } from "./operation.ts";

/** What a verb needs of the process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether people look at what goes to the standard error. */
  readonly isTerminal: boolean;
  out(text: string): void;
  err(text: string): void;
  /** All of the standard input. */
  stdin(): Promise<string>;
}

export interface OptionSpec {
  readonly type: "string" | "boolean";
  /** May be given more than once. */
  readonly multiple?: boolean;
  readonly short?: string;
  /** What stands for its value in the help. */
  readonly value?: string;
  readonly help: string;
  /** What completion offers. */
  readonly choices?: readonly string[];
  /** The field of a request that it is; without one it is an option of the command itself. */
  readonly field?: { readonly operation: OperationId; readonly name: string };
}

/** A command that talks to the API. */
export interface Verb {
  /** The name of the verb, such as `tasks submit`. */
  readonly name: string;
  /** The operands as the help shows them: `<required>`, `[optional]`, `[several...]`. */
  readonly operands: readonly string[];
  readonly summary: string;
  /** What it asks of the API. */
  readonly operations: readonly OperationId[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  run(invocation: Invocation): Promise<Outcome>;
}

/** What was asked for. */
export interface Invocation {
  readonly operands: readonly string[];
  readonly io: Io;
  readonly output: Output;
  readonly text: (option: string) => string | undefined;
  readonly texts: (option: string) => readonly string[];
  readonly flag: (option: string) => boolean;
  /** The client of the profile that was chosen. */
  readonly client: () => HoldfastClient;
  /** Who acts. */
  readonly actor: string;
}

export const outputs = ["table", "json", "jsonl", "id"] as const;
export type Output = (typeof outputs)[number];

/** What is printed. */
export interface Outcome {
  /** The exit code; 0 unless said otherwise. */
  readonly exitCode?: number;
  /** The whole, for `json`. */
  readonly value: unknown;
  /** Its parts, for `jsonl` and tables; the whole unless said otherwise. */
  readonly items?: readonly object[];
  /** Which of their fields a table has, and under which names they are found. */
  readonly columns?: readonly string[];
  /** A text in place of a table. */
  readonly text?: string;
  /** A line for people after a table. */
  readonly note?: string | undefined;
}
