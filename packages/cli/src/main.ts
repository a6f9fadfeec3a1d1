#!/usr/bin/env node
import nodeModule from "node:module";
import { processIo } from "./api/process-io.ts";
import { isVerb, runVerb } from "./api/run-verb.ts";

const oldestNode = 22;
if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  process.stderr.write(
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
  // A pipe whose reader is gone refuses even an empty text.
  if (stdout !== "") process.stdout.write(stdout);
  if (stderr !== "") process.stderr.write(stderr);
  process.exitCode = exitCode;
}
