#!/usr/bin/env node
import nodeModule from "node:module";
import { isVerb, runVerb } from "./api/run-verb.ts";
import { processIo, writeError, writeOut } from "./terminal.ts";

const oldestNode = 22;
if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  writeError(
    `Holdfast needs Node ${oldestNode} or newer, and this is ${process.versions.node}: install a newer one.\n`,
  );
  process.exit(2);
}

// What Node compiles of the modules below it finds in its own cache the next time, as npm does with its modules.
// oxlint-disable-next-line typescript/no-unnecessary-condition -- Node has it since 22.1.
nodeModule.enableCompileCache?.();

// A verb needs only the client. What the other commands need takes a second to load from sources.
const args = process.argv.slice(2);
if (args[0] === "dev") {
  const { dev } = await import("./dev.ts");
  process.exit(await dev(args.slice(1)));
}
if (isVerb(args)) process.exitCode = await runVerb(args, processIo());
else {
  const { runCommand } = await import("./run-command.ts");
  const { exitCode, stdout, stderr } = await runCommand(args, process.env);
  writeOut(stdout);
  writeError(stderr);
  process.exitCode = exitCode;
}
