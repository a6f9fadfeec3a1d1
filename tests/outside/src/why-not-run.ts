import { existsSync } from "node:fs";
import { runProgram } from "./run-program.ts";

const python = "/usr/bin/python3";

/**
 * Installs what the Agents in Python and bash need. Resolves to why they cannot run here; null:
 * they can.
 */
export async function whyNotRun(): Promise<string | null> {
  if ((await findMissing()).length === 0) return null;
  if (existsSync("/usr/bin/apt-get") && process.getuid?.() === 0) {
    const packages = ["install", "--yes", ...(await findMissing())];
    await runProgram("apt-get", packages, { mayFail: true });
  }
  const missing = await findMissing();
  if (missing.length === 0) return null;
  const reason = `${missing.join(", ")} cannot be had here`;
  process.stderr.write(`The trips are not tested: ${reason}.\n`);
  return reason;
}

async function findMissing(): Promise<readonly string[]> {
  const needed = { "amqp-tools": "/usr/bin/amqp-consume", jq: "/usr/bin/jq", python3: python };
  const missing = Object.entries(needed)
    .filter(([, file]) => !existsSync(file))
    .map(([name]) => name);
  if (missing.includes("python3")) return [...missing, "python3-pika"];
  const { code } = await runProgram(python, ["-c", "import pika"], { mayFail: true });
  return code === 0 ? missing : [...missing, "python3-pika"];
}
