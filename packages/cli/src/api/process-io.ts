import { text } from "node:stream/consumers";
import type { Io } from "./verb.ts";

/** The process as verbs see it. A reader that closes the pipe, such as `head`, ends the process without an error. */
export function processIo(): Io {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  return {
    env: process.env,
    isTerminal: process.stderr.isTTY,
    out: (written) => void process.stdout.write(written),
    err: (written) => void process.stderr.write(written),
    stdin: () => text(process.stdin),
  };
}
