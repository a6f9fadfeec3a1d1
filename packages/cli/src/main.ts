#!/usr/bin/env node
import { runCommand } from "./run-command.ts";

if (process.argv[2] === "dev") process.exit(await dev(process.argv.slice(3)));

const { exitCode, stdout, stderr } = await runCommand(process.argv.slice(2), process.env);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;

/** Loaded only when it is asked for: it brings all services. */
async function dev(args: readonly string[]): Promise<number> {
  const { runDev } = await import("@holdfast/dev");
  return runDev(args, { command: [process.execPath, ...process.execArgv, process.argv[1] ?? ""] });
}
