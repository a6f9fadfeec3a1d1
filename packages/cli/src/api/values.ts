import { existsSync, readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { resolve } from "node:path";
import { lineOfJsonFault, textOfBytes } from "@holdfast/domain";
import { parseDuration } from "@holdfast/domain/duration";
import { parseWhen, whenWords } from "@holdfast/domain/instant";
import { ChangedJson, parseJsonText } from "@holdfast/domain/json-text";
import { UsageError } from "./usage-error.ts";
import type { Invocation } from "./verb.ts";

/**
 * JSON as it stands on the command line, in a file with `@file`, or on the standard input with `-`.
 */
export async function jsonOf(text: string, what: string, io: Invocation["io"]): Promise<unknown> {
  if (text.startsWith("@")) return parseFile(fileOf(text.slice(1)), text.slice(1));
  const read = text === "-" ? await io.stdin() : text;
  try {
    return parseJsonText(read);
  } catch (error) {
    if (error instanceof ChangedJson) throw new UsageError(`${what}: ${error.message}`);
    throw new UsageError(
      `${what} is no JSON (${(error as Error).message}): write it as '{"a": 1}', or @file, or - for the standard input`,
    );
  }
}

/** Reads JSON. Throws a `UsageError` with the file and the line at which it breaks off. */
export function parseFile(text: string, file: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof ChangedJson) throw new UsageError(`${file}: ${error.message}`);
    const why = (error as Error).message.split("\n")[0];
    throw new UsageError(`${file}:${lineOfJsonFault(text)}: this is not JSON (${why})`);
  }
}

/** Reads a file, or the standard input with `-`. Throws a `UsageError`. */
export const textOf = async (file: string, io: Pick<Invocation["io"], "stdin">): Promise<string> =>
  file === "-" ? await io.stdin() : fileOf(file);

/**
 * Reads a file in UTF-8, with or without a byte order mark: every file that the command reads.
 * Throws a `UsageError`.
 */
export function fileOf(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  const { text, fault } = textOfBytes(bytes);
  if (fault !== null) throw new UsageError(`${path} ${fault}`);
  return text;
}

/**
 * The files that operands name. A pattern is one too, for shells that do not expand it; a name
 * without a wildcard stands for itself, whether there is such a file or not, and so does one that a
 * file has. In the order of the operands.
 */
export async function filesMeant(
  operands: readonly string[],
  cwd = process.cwd(),
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const operand of operands) {
    const isPattern = /[*?{[]/.test(operand) && !existsSync(resolve(cwd, operand));
    if (!isPattern) {
      files.push(operand);
      continue;
    }
    const found: string[] = [];
    for await (const file of glob(operand.replaceAll("\\", "/"), { cwd })) found.push(file);
    files.push(...found.toSorted());
  }
  return [...new Set(files)];
}

/** Labels as `name=value`. */
export const labelsOf = (pairs: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
      if (name === undefined || value === undefined) {
        throw new UsageError(`--label ${pair} must be a name and a value, such as region=eu`);
      }
      return [name, value];
    }),
  );

/**
 * An instant, or a time from now as `+1h`: by the clock of the service, and not of this machine.
 */
export function instantOf(text: string, option: string): string {
  if (parseWhen(text) !== null) return text;
  throw new UsageError(`${option} ${text} ${whenWords}`);
}

/** Milliseconds: a longer timer ends at once. */
const longestTimer = 2 ** 31 - 1;

/** A duration such as `30s`, in milliseconds: 24 days at most. */
export const waitOf = (text: string, option: string): number =>
  Math.min(millisecondsOf(text, option), longestTimer);

/** A duration such as `30s`, in milliseconds. */
export function millisecondsOf(text: string, option: string): number {
  const ms = parseDuration(text);
  if (!Number.isNaN(ms)) return ms;
  throw new UsageError(`${option} ${text} must be a duration such as 30s or 5m`);
}

/** The whole number that digits say; one above the largest safe integer is lowered to that. */
export const wholeOf = (digits: string): number =>
  Math.min(Number(digits), Number.MAX_SAFE_INTEGER);

/** A port in decimal digits. Throws a `UsageError` for anything else. */
export function portOf(given: string, { least }: { readonly least: 0 | 1 }): number {
  const port = Number(given);
  if (/^[0-9]+$/.test(given) && port >= least && port <= 65_535) return port;
  throw new UsageError(`--port must be a number from ${least} to 65535, and is ${given}.`);
}

/** Who acts: `--actor`, or who is logged in. */
export const actorOf = (asked: string | undefined, env: Invocation["io"]["env"]): string =>
  asked ?? (env["HOLDFAST_ACTOR"] || env["USER"] || env["LOGNAME"] || "operator");

/** How many rows `--limit` and `--all` ask for: 20 unless they say otherwise. */
export const rowsWanted = ({ flag, text }: Pick<Invocation, "flag" | "text">): number =>
  flag("all") ? Number.POSITIVE_INFINITY : limitOf(text("limit"));

function limitOf(text = "20"): number {
  if (/^0*[1-9]\d*$/.test(text)) return wholeOf(text);
  throw new UsageError(`--limit ${text} must be a number from 1 on; --all for every one`);
}
