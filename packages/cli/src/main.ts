#!/usr/bin/env node
import { dev } from "./dev.ts";
import { runCommand } from "./run-command.ts";

if (process.argv[2] === "dev") process.exit(await dev(process.argv.slice(3)));

const { exitCode, stdout, stderr } = await runCommand(process.argv.slice(2), process.env);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
