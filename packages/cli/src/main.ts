#!/usr/bin/env node
import { processIo } from "./api/process-io.ts";
import { isVerb, runVerb } from "./api/run-verb.ts";
import { dev } from "./dev.ts";
import { runCommand } from "./run-command.ts";

const args = process.argv.slice(2);
if (args[0] === "dev") process.exit(await dev(args.slice(1)));
if (isVerb(args)) process.exitCode = await runVerb(args, processIo());
else {
  const { exitCode, stdout, stderr } = await runCommand(args, process.env);
  // A pipe whose reader is gone refuses even an empty text.
  if (stdout !== "") process.stdout.write(stdout);
  if (stderr !== "") process.stderr.write(stderr);
  process.exitCode = exitCode;
}
