import { relative } from "node:path";
import type { AgentProcesses } from "./agents/agent-processes.ts";
import { sampleInput } from "./keys/sample-input.ts";
import type { WorkflowSync } from "./project/sync-project.ts";

interface Shown {
  readonly api: string;
  readonly operatorToken: string;
  readonly brokerUrl: string;
  readonly folder: string;
  readonly sync: Pick<WorkflowSync, "workflows">;
  readonly agents: Pick<AgentProcesses, "operations">;
  /** Milliseconds since the start. */
  readonly ms: number;
}

/** What is shown once everything runs: where it is, what runs, and the next command. */
export function banner({
  api,
  operatorToken,
  brokerUrl,
  folder,
  sync,
  agents,
  ms,
}: Shown): readonly string[] {
  const [first] = sync.workflows;
  const next =
    first === undefined
      ? "save a workflow in workflows/"
      : `curl ${api}/v1/tasks -H 'content-type: application/json' -d '${JSON.stringify({
          workflow: first.family,
          input: sampleInput(first.definition.inputSchema),
        })}'`;
  return [
    "",
    `ready in ${(ms / 1_000).toFixed(1)} s`,
    `  API   ${api}`,
    `  look  ${consoleLink(api, operatorToken)}`,
    `  token ${operatorToken}   of operators, new at each start: export HOLDFAST_TOKEN=${operatorToken}`,
    `  AMQP  ${brokerUrl}   for Agents in other languages`,
    ...sync.workflows.map(
      ({ family, name, file }) => `  workflow ${family} is ${name}   ${relative(folder, file)}`,
    ),
    ...[...agents.operations()].map(
      ([agent, operations]) => `  Agent ${agent}: ${operations.join(", ")}`,
    ),
    "",
    "next:",
    `  ${next}`,
    "keys: s submit the sample   k kill the Agent in mid-step   d decline   w why   t clock + 1 h   Ctrl-C stop",
    "",
  ];
}

/** The console, signed in: what follows # is not sent, and the page takes it out of its address. */
const consoleLink = (api: string, token: string): string => `${api}/console/#token=${token}`;
