import { processIo } from "./api/process-io.ts";
import { isVerb, runVerb } from "./api/run-verb.ts";
import { runCommand } from "./run-command.ts";

const args = process.argv.slice(2);
if (isVerb(args)) process.exitCode = await runVerb(args, processIo());
else {
  const { exitCode, stdout, stderr } = await runCommand(args, process.env);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exitCode;
}
