import { buffer } from "node:stream/consumers";
import { textOfBytes } from "@holdfast/domain";
import { terminalText } from "@holdfast/domain/control-characters";
import { UsageError } from "./api/usage-error.ts";
import type { Io } from "./api/verb.ts";

/**
 * Writes to the standard output what commands no terminal. A pipe whose reader is gone refuses even
 * an empty text.
 */
function writeOut(written: string): void {
  if (written !== "") process.stdout.write(terminalText(written));
}

/** Writes to the standard error what commands no terminal. */
export function writeError(written: string): void {
  if (written !== "") process.stderr.write(terminalText(written));
}

/** The process as commands see it. */
export const terminal: Io = {
  env: process.env,
  isTerminal: process.stderr.isTTY,
  isOutputTerminal: process.stdout.isTTY,
  out: writeOut,
  err: writeError,
  stdin: readInput,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : null,
};

async function readInput(): Promise<string> {
  const { text, fault } = textOfBytes(await buffer(process.stdin));
  if (fault !== null) throw new UsageError(`The standard input ${fault}`);
  return text;
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(terminalText(question));
  } finally {
    lines.close();
  }
}

/** Has a reader that closes the pipe, such as `head`, end the process without an error. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}
