import { relative } from "node:path";
import type { AgentProcesses } from "../agents/agent-processes.ts";
import type { KnownOperations } from "./find-gaps.ts";
import { importGraph } from "./import-graph.ts";
import type { WorkflowLoader } from "./load-workflows.ts";
import { findProjectFiles } from "./project-files.ts";
import type { WorkflowSync } from "./sync-project.ts";

interface KeepInStepOptions {
  readonly folder: string;
  readonly sync: WorkflowSync;
  readonly loader: Pick<WorkflowLoader, "endLate">;
  readonly agents: AgentProcesses;
  readonly known: () => Promise<KnownOperations>;
  readonly say: (line: string) => void;
}

/**
 * Does for each save what it needs: applies the workflows that changed, and starts those Agents
 * anew whose file, or what that imports, changed. Saves are done one after the other.
 */
export function keepInStep(
  options: KeepInStepOptions,
): (files: ReadonlySet<string>) => Promise<void> {
  const { folder, say } = options;
  let agentFiles = findProjectFiles(folder).agents;
  let working = Promise.resolve();
  const act = async (saved: ReadonlySet<string>): Promise<void> => {
    const from = performance.now();
    const before = agentFiles;
    const files = findProjectFiles(folder);
    agentFiles = files.agents;
    await Promise.all([
      applyWorkflows(options, files.workflows, from),
      ...before
        .filter((file) => !agentFiles.includes(file))
        .map((file) => options.agents.stop(file)),
      ...agentFiles
        .filter((file) => !before.includes(file) || isTouched(options, file, saved))
        .map((file) => restart(options, file, from)),
    ]);
    options.sync.sayGaps(await options.known());
  };
  return (saved) => {
    options.loader.endLate();
    working = working.then(() => act(saved)).catch((error: unknown) => say(String(error)));
    return working;
  };
}

/**
 * What its process has loaded, and what its text names: of a Node before 22.15 the first is not
 * known.
 */
const isTouched = (
  { agents }: KeepInStepOptions,
  file: string,
  saved: ReadonlySet<string>,
): boolean =>
  [...(agents.files.get(file) ?? []), ...importGraph(file)].some((one) => saved.has(one));

async function applyWorkflows(
  { sync, say }: KeepInStepOptions,
  files: readonly string[],
  from: number,
): Promise<void> {
  const { workflows, schedules } = await sync.apply(files);
  for (const { family, name } of workflows) say(`${family} is now ${name} (${since(from)})`);
  for (const { id, definition } of schedules) {
    say(`the schedule ${id} is now ${definition.cron} ${definition.zone} (${since(from)})`);
  }
}

async function restart(
  { agents, folder, say }: KeepInStepOptions,
  file: string,
  from: number,
): Promise<void> {
  const isUp = await agents.start(file);
  if (isUp) say(`${relative(folder, file)} runs anew (${since(from)})`);
}

const since = (from: number): string => `${Math.round(performance.now() - from)} ms`;
