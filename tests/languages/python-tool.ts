import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { holdfastFolder } from "@holdfast/local-stack";

const run = promisify(execFile);

/**
 * Installs a tool of Python in an environment of its own outside of the sources, unless that was
 * done before. Resolves to the folder of its programs.
 */
export async function installPythonTool(
  requirement: string,
  ...more: readonly string[]
): Promise<string> {
  const folder = join(holdfastFolder(), "python", requirement);
  const programs = join(folder, "bin");
  const done = join(programs, requirement.split("==")[0] ?? "");
  if (existsSync(`${done}.installed`)) return programs;
  await run("python3", ["-m", "venv", folder]);
  await run(join(programs, "pip"), ["install", "--quiet", requirement, ...more]);
  await run("touch", [`${done}.installed`]);
  return programs;
}
