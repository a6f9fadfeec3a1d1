import { closeSync, openSync, readSync } from "node:fs";
import { textOfBytes } from "@holdfast/domain";

/** Environment variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a variable holds, or why that cannot be read. */
export interface ReadVariable {
  readonly value?: string | undefined;
  readonly problem?: string;
}

/** Bytes; a longer value of an environment variable, or of the file that it names, is not read. */
const longestValue = 16 * 1024;

/** Reads the variable `name`, or the file that `<name>_FILE` names, as secrets are mounted. */
export function readVariable(name: string, env: Environment): ReadVariable {
  const path = fileOf(name, env);
  const given = env[name] ?? "";
  if (path === null) return bounded(given, name);
  if (given !== "") return { problem: `is set twice: unset it or ${name}_FILE` };
  try {
    const bytes = readStart(path);
    const { text, fault } = textOfBytes(bytes);
    if (fault === null) return bounded(text.trim(), path);
    // It was cut, perhaps within a letter.
    if (bytes.length > longestValue) return tooLong(path);
    return { problem: `cannot be read: ${path} ${fault}` };
  } catch (error) {
    return { problem: `cannot be read from ${path}: ${(error as Error).message}` };
  }
}

/** The file that a variable is read from; null: none. */
export const fileOf = (name: string, env: Environment): string | null =>
  env[`${name}_FILE`] || null;

/** A byte more than a value may have at most: the file may have no end, such as a device. */
function readStart(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(longestValue + 1);
    let length = 0;
    for (let more = -1; more !== 0 && length < bytes.length; length += more) {
      more = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

const bounded = (value: string, from: string): ReadVariable =>
  Buffer.byteLength(value) > longestValue ? tooLong(from) : { value };

const tooLong = (from: string): ReadVariable => ({
  problem: `is longer than 16 KiB: look at ${from}`,
});
