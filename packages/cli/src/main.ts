import { runCommand } from "./run-command.ts";

const { exitCode, stdout, stderr } = await runCommand(process.argv.slice(2), process.env);
// A pipe whose reader is gone refuses even an empty text.
if (stdout !== "") process.stdout.write(stdout);
if (stderr !== "") process.stderr.write(stderr);
process.exitCode = exitCode;
