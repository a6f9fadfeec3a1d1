import { execFileSync } from "node:child_process";
import { relative } from "node:path";

/** Why a module cannot be loaded, in one sentence, and where. */
export interface LocatedError {
  readonly message: string;
  /** A path and a line, such as `workflows/welcome.ts:7`; the path alone where the line is not known. */
  readonly place: string;
}

const place = /(?:file:\/\/)?(\/[^\n:()]+):(\d+)/g;

/** Finds where in the project an error arose, by its stack; for a syntax error, where Node points. */
export function locateError(error: unknown, file: string, folder: string): LocatedError {
  const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  const found =
    firstIn(stack, folder) ?? (error instanceof SyntaxError ? checked(file, folder) : null);
  const [sentence = ""] = message.split("\n");
  return { message: sentence, place: found ?? relative(folder, file) };
}

function firstIn(text: string, folder: string): string | null {
  for (const [, path = "", line] of text.matchAll(place)) {
    const inside = relative(folder, path);
    if (!inside.startsWith("..") && !inside.includes("node_modules")) return `${inside}:${line}`;
  }
  return null;
}

/** V8 tells the line of a syntax error to the terminal only. */
function checked(file: string, folder: string): string | null {
  try {
    execFileSync(process.execPath, ["--check", file], { stdio: "pipe", encoding: "utf8" });
    return null;
  } catch (error) {
    return firstIn(String((error as { readonly stderr?: unknown }).stderr), folder);
  }
}
