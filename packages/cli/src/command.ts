import type { CommandLine } from "./command-line.ts";

/** What a command has to say. */
export interface Answer {
  readonly exitCode: number;
  /** The answer for people. */
  readonly text: string;
  /** The answer as JSON, for machines. */
  readonly json: unknown;
}

/** Throws a `Fault` when it cannot answer. */
export type Command = (line: CommandLine, env: NodeJS.ProcessEnv) => Promise<Answer>;

/** What is to be printed where, and the exit code. */
export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}
