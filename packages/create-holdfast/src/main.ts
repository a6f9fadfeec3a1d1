#!/usr/bin/env node
import { createProject } from "./create-project.ts";

process.exitCode = await createProject(process.argv.slice(2), {
  folder: process.cwd(),
  userAgent: process.env["npm_config_user_agent"] ?? "npm",
  execPath: process.env["npm_execpath"] || null,
  platform: process.platform,
  say: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
});
