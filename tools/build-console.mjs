import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

const standardError = 2;

/**
 * Builds the page of the console, unless that was done before from the same sources: a second, or a
 * few milliseconds.
 */
export async function buildConsole() {
  const script = join(root, "services/console/build.mjs");
  const code = await run(process.execPath, [script], { output: standardError });
  if (code !== 0) throw new Error("The page of the console could not be built: see above.");
}
