import { readFileSync } from "node:fs";
import { runProgram } from "./run-program.ts";

/** Downloads a version of Node, and resolves to its executable. */
export async function nodePath(version: string): Promise<string> {
  const print = ["--yes", `node@${version}`, "--print", "process.execPath"];
  return (await runProgram("npx", print)).stdout.trim();
}

/** Prints the names of all globals, and of the functions that each has, such as `Promise.all`. */
const printGlobals = `
const names = Object.getOwnPropertyNames(globalThis);
const members = names
  .filter((name) => /^[A-Z]/.test(name) && globalThis[name] instanceof Object)
  .flatMap((name) => Object.getOwnPropertyNames(globalThis[name]).map((one) => name + "." + one));
console.log(JSON.stringify([...names, ...members]));
`;

/** The globals, and the functions of globals, that the newer Node has and the older one lacks. */
export async function globalsMissingFrom(older: string, newer: string): Promise<readonly string[]> {
  const [there, known] = await Promise.all(
    [older, newer].map(async (node) => {
      const { stdout } = await runProgram(node, ["--eval", printGlobals]);
      return JSON.parse(stdout) as readonly string[];
    }),
  );
  return (known ?? []).filter((name) => !(there ?? []).includes(name));
}

/**
 * Which of these globals a compiled module uses. Comments do not count, nor properties of the same
 * name, nor a global that the module asks for with `typeof` first.
 */
export function globalsUsedIn(file: string, globals: readonly string[]): readonly string[] {
  const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const names = (before: string, name: string): boolean =>
    new RegExp(`${before}(?<![\\w$.])${name.replace(".", "\\.")}(?![\\w$])`).test(code);
  return globals.filter((name) => names("", name) && !names("typeof ", name));
}
