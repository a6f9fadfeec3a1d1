#!/usr/bin/env node
import { runCommand } from "./run-command.ts";

const { exitCode, stdout, stderr } = await runCommand(process.argv.slice(2), process.env);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
