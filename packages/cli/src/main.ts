#!/usr/bin/env node
import nodeModule from "node:module";
import { runHoldfast } from "./run-holdfast.ts";
import { endWithReader, terminal, writeError } from "./terminal.ts";

const oldestNode = 22;
if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  writeError(
    `Holdfast needs Node ${oldestNode} or newer, and this is ${process.versions.node}: install a newer one.\n`,
  );
  process.exit(2);
}

// What Node compiles of the modules below it finds in its own cache the next time, as npm does with
// its modules.
// oxlint-disable-next-line typescript/no-unnecessary-condition -- Node has it since 22.1.
nodeModule.enableCompileCache?.();

const args = process.argv.slice(2);
const isDev = args[0] === "dev";
// They have to stop what they run first, and do so whatever became of the terminal.
if (!isDev && args[0] !== "start") endWithReader();
const exitCode = await runHoldfast(args, terminal);
// What still runs in this process with it would keep it alive.
if (isDev) process.exit(exitCode);
process.exitCode = exitCode;
