import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const own = "terminal.ts";
const folder = new URL("./", import.meta.url);

/** Each way from a module to the standard output or error. `inherit` would be that of a child. */
const ways =
  /process\s*\.\s*(stdout|stderr)|\bconsole\s*\.|["'](node:)?(process|console)["']|inherit/;

const sources = globSync("**/*.ts", { cwd: folder.pathname }).filter(
  (file) => !file.endsWith(".test.ts"),
);
const textOf = (file: string): string => readFileSync(new URL(file, folder), "utf8");

test("only terminal.ts writes to the standard output and error", () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.filter((file) => ways.test(textOf(file)))).toEqual([own]);
});

test("terminal.ts writes nothing but terminalText", () => {
  const written = [...textOf(own).matchAll(/\.write\(([^;]*)\);/g)].map(([, what]) => what);
  expect(written).toEqual(["terminalText(written)", "terminalText(written)"]);
});

const run = promisify(execFile);
const main = new URL("main.ts", folder).pathname;
/** Sets the clipboard, hides the line, and shows another one. */
const hostile = "\u001b]52;c;bHM=\u0007\u001b[2K\u009b1A\u202eall is well";
const shown = String.raw`\u001b]52;c;bHM=\u0007\u001b[2K\u009b1A\u202eall is well`;

/** What the command prints that fails with these arguments. */
async function failed(...args: readonly string[]) {
  const options = ["--conditions=@holdfast/source", main, ...args];
  const env = { ...process.env, HOLDFAST_CONFIG: "/nonexistent/profiles.json" };
  return run(process.execPath, options, { env }).then(
    () => ({ stdout: "", stderr: "" }),
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => ({
      stdout,
      stderr,
    }),
  );
}

test("what others wrote commands no terminal, and stays the same as JSON", async () => {
  const [command, verb, json] = await Promise.all([
    failed("docs", "--search", hostile),
    failed("config", "use", hostile),
    failed("config", "use", hostile, "--json"),
  ]);
  expect(command.stdout).toBe(`No page has all of these words: ${shown}\n`);
  expect(verb.stderr).toContain(`There is no profile ${shown};`);
  expect(json.stderr).toContain(shown);
  const { error } = JSON.parse(json.stderr) as { readonly error: { readonly message: string } };
  expect(error.message).toContain(hostile);
});
