import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { holdfastCommand } from "@holdfast/test-servers";
import type { AgentBroker } from "./agent-broker.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What `holdfast conformance` found, rule by rule. */
export interface Conformance {
  readonly exitCode: number;
  readonly states: Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
}

interface Report {
  readonly rules: readonly {
    readonly rule: string;
    readonly state: string;
    readonly text: string;
  }[];
}

/** Runs the command as people do, as the user whose role is `conformance`. */
export async function runConformance(
  broker: AgentBroker,
  args: readonly string[],
): Promise<Conformance> {
  const servers = ["--broker-url", broker.tester.url];
  const { exitCode, stdout, stderr } = await whileBusy(() =>
    holdfast(["conformance", ...args, ...servers, "--json"]),
  );
  if (exitCode > 1) throw new Error(stderr);
  const { rules } = JSON.parse(stdout) as Report;
  return {
    exitCode,
    states: Object.fromEntries(rules.map(({ rule, state }) => [rule, state])),
    texts: Object.fromEntries(rules.map(({ rule, text }) => [rule, text])),
  };
}

const unreachable = 69;

/** A broker that has much else to do may not answer in time: then the command is run again. */
async function whileBusy<Found extends { readonly exitCode: number }>(
  run: () => Promise<Found>,
): Promise<Found> {
  for (let left = 3; ; left -= 1) {
    const found = await run();
    if (found.exitCode !== unreachable || left === 0) return found;
  }
}

/** Runs the command line in a process of its own. */
export function holdfast(
  args: readonly string[],
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof holdfast>>>();
  const command = [...holdfastCommand, ...args];
  const env = { PATH: process.env["PATH"] };
  execFile(process.execPath, command, { cwd: root, env }, (error, stdout, stderr) =>
    resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
  );
  return promise;
}

/** Every rule, as it is when the Agent conforms. */
export const allHold: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "heartbeat",
    "happy",
    "permanent",
    "transient",
    "undo",
    "unknown operation",
    "malformed",
    "oversized",
    "duplicate",
    "redelivery",
    "deadline",
    "cancel",
    "shutdown",
  ].map((rule) => [rule, "holds"]),
);
