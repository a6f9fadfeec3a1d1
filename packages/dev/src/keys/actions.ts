import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  callsOf,
  errorText,
  type Json,
  textOfBytes,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { AgentProcesses } from "../agents/agent-processes.ts";
import type { DevClock } from "../clock/dev-clock.ts";
import { type Sample, sampleInput } from "./sample-input.ts";

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
  /**
   * The command that runs `holdfast`, and the environment of its commands that look at the servers.
   */
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
  const submit = async (
    inputOf: (definition: WorkflowDefinition) => Sample,
  ): Promise<string | null> => {
    const workflow = context.workflow();
    if (workflow === null) {
      say("There is no workflow yet: save one in workflows/.");
      return null;
    }
    const found = inputOf(workflow.definition);
    if ("reason" in found) {
      say(found.reason);
      return null;
    }
    const { input } = found;
    last = await submitTask(api, workflow.family, input);
    say(`submitted ${workflow.family} ${JSON.stringify(input)}`);
    return last;
  };
  const follow = async (id: string | null): Promise<void> => {
    const task = id === null ? null : await lookUntil(api, id, { isMet: hasEnded, signal });
    if (task !== null) taskLines(task).forEach(say);
  };
  const sample = (definition: WorkflowDefinition) => sampleInput(context.folder, definition);
  return {
    s: async () => follow(await submit(sample)),
    d: async () => follow(await submit(() => ({ input: declinedInput(context.folder) }))),
    k: async () => {
      const id = await killInMidStep(context, () => submit(sample));
      await follow(id);
    },
    w: async () => {
      if (last === null) say("Nothing was submitted yet: press s.");
      else await explain(context, last);
    },
    t: async () => say(await context.clock.advance()),
  };
}

const firstAgentOf = (definition: WorkflowDefinition | undefined): string =>
  definition === undefined ? "" : (callsOf(definition)[0]?.agent ?? "");

/**
 * Stops the Agent of the first step before it is asked, so that it certainly dies with that step in
 * its hands.
 */
async function killInMidStep(
  { api, agents, workflow, signal, say }: ActionContext,
  submit: () => Promise<string | null>,
): Promise<string | null> {
  const agent = firstAgentOf(workflow()?.definition);
  const frozen = agents.freeze(agent);
  if (frozen === null) {
    say(`No Agent ${agent} runs here: k kills Agents of agents/ only.`);
    return null;
  }
  const id = await submit();
  if (id !== null) {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(reachWithin)]);
    await lookUntil(api, id, { isMet: isUnderWay, signal: timeout });
  }
  say(`kill -9 of the Agent ${agent} (process ${frozen.pid}) in the middle of a step`);
  await agents.kill(agent);
  return id;
}

const isUnderWay = ({ steps }: ShownTask): boolean =>
  steps.some(({ processState }) => processState === "processing");

function declinedInput(folder: string): Json {
  const file = join(folder, "cases/declined.json");
  try {
    const { text, fault } = textOfBytes(readFileSync(file));
    if (fault !== null) throw new Error(fault);
    return (JSON.parse(text) as { readonly input?: Json }).input ?? null;
  } catch (error) {
    throw new Error(
      `d submits the input of cases/declined.json, which cannot be read (${errorText(error)}): write it.`,
      { cause: error },
    );
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

/** A task as the API shows it, as far as it is printed. */
interface ShownTask {
  readonly id: string;
  readonly state: string;
  readonly workflow: string;
  readonly result: unknown;
  readonly faultCode: string | null;
  readonly steps: readonly {
    readonly name: string;
    readonly agent: string | null;
    readonly processState: string;
    readonly attempt: number;
    readonly faultCode: string | null;
  }[];
}

/** Milliseconds between two looks at a task. */
const pollInterval = 25;
const ended: ReadonlySet<string> = new Set(["processed", "undone", "halted"]);

/**
 * Submits a task to the active version of a workflow, and resolves to its id. Throws what the API
 * answers instead.
 */
async function submitTask(api: string, workflow: string, input: unknown): Promise<string> {
  const response = await fetch(`${api}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workflow, input }),
  });
  const answer = (await response.json()) as {
    readonly id?: string;
    readonly detail?: string;
    readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  };
  if (answer.id !== undefined) return answer.id;
  const errors = (answer.errors ?? []).map(({ pointer, detail }) => ` ${pointer} ${detail}.`);
  throw new Error(`The task was refused: ${answer.detail ?? response.status}${errors.join("")}`);
}

/** Looks at a task until `isMet`, or until `signal` aborts: then null. */
async function lookUntil(
  api: string,
  id: string,
  { isMet, signal }: { readonly isMet: (task: ShownTask) => boolean; readonly signal: AbortSignal },
): Promise<ShownTask | null> {
  while (!signal.aborted) {
    const response = await fetch(`${api}/v1/tasks/${id}`, { signal }).catch(() => null);
    if (response?.ok) {
      const task = (await response.json()) as ShownTask;
      if (isMet(task)) return task;
    }
    await sleep(pollInterval, undefined, { signal }).catch(() => {});
  }
  return null;
}

const hasEnded = ({ state }: ShownTask): boolean => ended.has(state);

/** A task and its steps, as lines. */
function taskLines({ id, state, result, faultCode, steps }: ShownTask): readonly string[] {
  const width = Math.max(...steps.map(({ name }) => name.length));
  const shown = state === "processed" ? ` ${JSON.stringify(result)}` : ` ${faultCode ?? ""}`;
  return [
    `${id} ${state}${shown}`.trimEnd(),
    ...steps.map((step) =>
      `  ${step.name.padEnd(width)}  ${step.processState.padEnd(10)} ${step.faultCode ?? ""}`.trimEnd(),
    ),
  ];
}
