import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { noBuilds, outsideEnvironment } from "./install-packages.ts";
import { runProgram } from "./run-program.ts";

/** What the commands that need no server say in a project that `pnpm create holdfast` made. */
export interface Created {
  /** The output of `holdfast test`. */
  readonly tested: string;
  /** What is not to be committed. */
  readonly ignored: readonly string[];
  /** Names of the pages of `holdfast docs`. */
  readonly pages: readonly string[];
  /** Names of the tools of `holdfast mcp`. */
  readonly tools: readonly string[];
}

interface Options {
  /** A folder that is not there yet. */
  readonly folder: string;
  readonly registryUrl: string;
}

const pnpm = ["--yes", "pnpm@12.21.0"];

/** Makes a project with pnpm, and uses the commands in it that need no server. */
export async function useCreated({ folder, registryUrl }: Options): Promise<Created> {
  mkdirSync(folder, { recursive: true });
  const env = outsideEnvironment(registryUrl);
  await runProgram("npx", [...pnpm, "create", "holdfast", "shop"], { folder, env });
  const project = join(folder, "shop");
  writeFileSync(join(project, "pnpm-workspace.yaml"), noBuilds());
  await runProgram("npx", [...pnpm, "install"], { folder: project, env });
  const holdfast = (...args: readonly string[]) =>
    runProgram("npx", ["holdfast", ...args], { folder: project, env });
  const { pages } = JSON.parse((await holdfast("docs", "--json")).stdout) as {
    readonly pages: readonly { readonly name: string }[];
  };
  const [first = ""] = pages.map(({ name }) => name);
  await holdfast("docs", first);
  // Throws unless the compiler has nothing to say.
  await runProgram("npm", ["run", "check"], { folder: project, env });
  return {
    ignored: readFileSync(join(project, ".gitignore"), "utf8").trimEnd().split("\n"),
    tested: (await holdfast("test", "cases/declined.json")).output,
    pages: pages.map(({ name }) => name),
    tools: await toolsOf(project, env),
  };
}

type Env = Readonly<Record<string, string | undefined>>;

/** Talks to `holdfast mcp` as an assistant does, and ends it by closing its input. */
async function toolsOf(folder: string, env: Env): Promise<readonly string[]> {
  const child = spawn("npx", ["holdfast", "mcp"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const say = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  say({ id: 1, method: "initialize", params });
  await lines.next();
  say({ method: "notifications/initialized" });
  say({ id: 2, method: "tools/list" });
  const { value = "" } = await lines.next();
  child.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`holdfast mcp ended with ${String(code)}`);
  const { result } = JSON.parse(value) as {
    readonly result: { readonly tools: readonly { readonly name: string }[] };
  };
  return result.tools.map(({ name }) => name);
}
