import { text } from "node:stream/consumers";
import type { Io } from "./verb.ts";

/** The process as verbs see it. */
export const processIo: Io = {
  env: process.env,
  isTerminal: process.stderr.isTTY,
  out: (written) => void process.stdout.write(written),
  err: (written) => void process.stderr.write(written),
  stdin: () => text(process.stdin),
};
