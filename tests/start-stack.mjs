import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { migrate } from "../packages/state-store/src/index.ts";
import { buildConsole } from "../tools/build-console.mjs";
import { startTestStack } from "./servers/src/start-test-stack.ts";

/**
 * Compiles what has changed, as tests start the services as they are shipped, unless the files that
 * are named start none. Starts one Postgres and one RabbitMQ for the whole run and tells the tests
 * where they are.
 */
export default async function startStack() {
  if (process.env.HOLDFAST_COMPILED !== "no") {
    await Promise.all([buildConsole(), compilePackages()]);
    process.env.HOLDFAST_COMPILED = "yes";
  }
  globalThis.holdfastTestStack = await startTestStack(migrate);
}

/** Compiles packages in a process of its own, which Jest does not inherit. */
function compilePackages() {
  const bundle = fileURLToPath(new URL("../tools/bundle.mjs", import.meta.url));
  return promisify(execFile)(process.execPath, [bundle]);
}
