import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowDefinition } from "@holdfast/domain";
import type { AgentProcesses } from "../agents/agent-processes.ts";
import type { DevClock } from "../clock/dev-clock.ts";
import { hasEnded, lookUntil, type ShownTask, submitTask, taskLines } from "./api.ts";
import { sampleInput } from "./sample-input.ts";

/** What the keys act on. */
export interface ActionContext {
  readonly api: string;
  readonly folder: string;
  readonly agents: Pick<AgentProcesses, "freeze" | "kill">;
  readonly clock: DevClock;
  /** The workflow that was saved last; null: there is none. */
  readonly workflow: () => {
    readonly family: string;
    readonly definition: WorkflowDefinition;
  } | null;
  /** The command that runs `holdfast`, and the environment of its commands that look at the servers. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Milliseconds in which a step reaches an Agent that was stopped for it. */
const reachWithin = 10_000;

/** What each key does. */
export function openActions(context: ActionContext): Readonly<Record<string, () => Promise<void>>> {
  const { api, say, signal } = context;
  let last: string | null = null;
  const submit = async (input: unknown): Promise<string | null> => {
    const workflow = context.workflow();
    if (workflow === null) {
      say("There is no workflow yet: save one in workflows/.");
      return null;
    }
    last = await submitTask(api, workflow.family, input);
    say(`submitted ${workflow.family} ${JSON.stringify(input)}`);
    return last;
  };
  const follow = async (id: string | null): Promise<void> => {
    const task = id === null ? null : await lookUntil(api, id, { isMet: hasEnded, signal });
    if (task !== null) taskLines(task).forEach(say);
  };
  const sample = (): unknown => sampleInput(context.workflow()?.definition.inputSchema ?? {});
  return {
    s: async () => follow(await submit(sample())),
    d: async () => follow(await submit(declinedInput(context.folder))),
    k: async () => {
      const id = await killInMidStep(context, () => submit(sample()));
      await follow(id);
    },
    w: async () => {
      if (last === null) say("Nothing was submitted yet: press s.");
      else await explain(context, last);
    },
    t: async () => say(await context.clock.advance()),
  };
}

/** Stops the Agent of the first step before it is asked, so that it certainly dies with that step in its hands. */
async function killInMidStep(
  { api, agents, workflow, signal, say }: ActionContext,
  submit: () => Promise<string | null>,
): Promise<string | null> {
  const agent = workflow()?.definition.steps[0]?.agent ?? "";
  const frozen = agents.freeze(agent);
  if (frozen === null) {
    say(`No Agent ${agent} runs here: k kills Agents of agents/ only.`);
    return null;
  }
  const id = await submit();
  if (id !== null) {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(reachWithin)]);
    await lookUntil(api, id, { isMet: isUnderWay, signal: patience });
  }
  say(`kill -9 of the Agent ${agent} (process ${frozen.pid}) in the middle of a step`);
  await agents.kill(agent);
  return id;
}

const isUnderWay = ({ steps }: ShownTask): boolean =>
  steps.some(({ processState }) => processState === "processing");

function declinedInput(folder: string): unknown {
  const file = join(folder, "cases/declined.json");
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { readonly input?: unknown }).input;
  } catch {
    throw new Error(`d submits the input of cases/declined.json, which cannot be read: write it.`);
  }
}

/** Shows what `holdfast why` says of a task. */
async function explain({ command, env, say }: ActionContext, id: string): Promise<void> {
  const [program = process.execPath, ...args] = command;
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(
    program,
    [...args, "why", id, "--direct"],
    { env: { ...process.env, ...env } },
    (_, out, err) => resolve(`${out}${err}`),
  );
  for (const line of (await promise).trimEnd().split("\n")) say(line);
}
