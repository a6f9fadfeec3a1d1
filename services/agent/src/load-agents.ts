import { resolve } from "node:path";
import {
  type HostedAgent,
  isConfiguredAgents,
  isHostedAgent,
  refuseDuplicates,
} from "@holdfast/agent";
import { ContractFault, errorText } from "@holdfast/domain";
import { parseConfig } from "@holdfast/runtime";
import { loadModule, ModuleFault, resolveSources, watchLoad } from "@holdfast/runtime/modules";

interface LoadOptions {
  /** Paths, which begin with `.`, `/` or `file:`, or names of packages. */
  readonly modules: readonly string[];
  /** The names of the Agents that are wanted; null: all. */
  readonly wanted: readonly string[] | null;
  /** The folder in which relative paths begin. */
  readonly folder: string;
  /** What Agents with configuration of their own read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Called with the name of a module that waits for something at its top level, such as for a
   * server.
   */
  readonly onWait?: (module: string) => void;
}

/**
 * Loads the Agents that the modules export, and keeps those that are wanted. Leaves out those that
 * are refused while refusals are collected; otherwise these fail their module. Throws
 * `config.invalid` with one sentence that names the module or the Agent at fault.
 */
export async function loadAgents(options: LoadOptions): Promise<readonly HostedAgent[]> {
  const { modules, wanted, onWait = () => {} } = options;
  const loaded: HostedAgent[] = [];
  for (const name of modules) {
    const found = await watchLoad(
      () => agentsOf(name, options),
      () => onWait(name),
    );
    loaded.push(...found.filter(({ isRefused = false }) => !isRefused));
  }
  try {
    refuseDuplicates(loaded);
  } catch (error) {
    throw invalid((error as Error).message, error);
  }
  const unknown = wanted?.filter((name) => !loaded.some((agent) => agent.name === name)) ?? [];
  if (unknown.length > 0) {
    const names = loaded.map(({ name }) => name).join(", ");
    throw invalid(`AGENT_NAMES names ${unknown.join(", ")}, but the loaded Agents are ${names}`);
  }
  return wanted === null ? loaded : loaded.filter(({ name }) => wanted.includes(name));
}

async function agentsOf(
  module: string,
  { folder, env }: LoadOptions,
): Promise<readonly HostedAgent[]> {
  const found: HostedAgent[] = [];
  for (const exported of Object.values(await load(module, folder))) {
    if (isHostedAgent(exported)) found.push(exported);
    else if (isConfiguredAgents(exported)) {
      found.push(...[exported.create(parseConfig(exported.config, env))].flat());
    }
  }
  if (found.length > 0) return found;
  throw invalid(
    `AGENT_MODULES: ${module} exports no Agent; export what host(…) or configureAgents(…) returns`,
  );
}

async function load(module: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    if (isPath(module)) return await loadModule(resolve(folder, module), folder);
    resolveSources();
    return (await import(module)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const [reason = ""] = errorText(error).split("\n");
    const how = error instanceof ModuleFault ? "" : " (a path begins with ./ or /)";
    throw invalid(`AGENT_MODULES: ${module} cannot be loaded${how}: ${reason}`, error);
  }
}

/** Whether a module is named by a path, of Windows as well. */
const isPath = (module: string): boolean => /^\.{0,2}[\\/]|^[A-Za-z]:[\\/]/.test(module);

const invalid = (sentence: string, cause?: unknown): ContractFault =>
  new ContractFault("config.invalid", sentence, { cause });
