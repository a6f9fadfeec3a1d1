import type { HoldfastClient } from "@holdfast/client";
import type { OperationId } from "./operation.ts";

/** What a verb needs of the process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether people look at what goes to the standard error. */
  readonly isTerminal: boolean;
  /** Whether people look at what goes to the standard output. */
  readonly isOutputTerminal: boolean;
  out(text: string): void;
  err(text: string): void;
  /** All of the standard input. */
  stdin(): Promise<string>;
  /** Asks a person, and resolves to the answer; null: no person is there to answer. */
  readonly ask: ((question: string) => Promise<string>) | null;
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

/**
 * A command: what it is called, what it takes, and what it does. Parser, help and completion follow
 * from it.
 */
export interface Verb {
  /** The name of the verb, such as `tasks submit`. */
  readonly name: string;
  /** The operands as the help shows them: `<required>`, `[optional]`, `[several...]`. */
  readonly operands: readonly string[];
  readonly summary: string;
  /** More than the summary, for its own help. */
  readonly details?: string;
  /** Command lines without `holdfast`, for its own help. */
  readonly examples?: readonly string[];
  /** Its exit codes, where they say more than those of all commands. */
  readonly exits?: string;
  /** It asks no service, so it takes no options that say which one. */
  readonly isLocal?: true;
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
  /** An instant as the reader wants it: how long ago for people, as it is for programs. */
  readonly at: (instant: string) => string;
}

export const outputs = ["table", "json", "jsonl", "id"] as const;
export type Output = (typeof outputs)[number];

/** What is printed. */
export interface Outcome {
  /** The exit code; 0 unless said otherwise. */
  readonly exitCode?: number;
  /** The whole, for `json`; undefined: nothing is printed. */
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
