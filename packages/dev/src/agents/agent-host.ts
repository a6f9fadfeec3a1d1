import { relative } from "node:path";
import { type HostedAgent, runAgents } from "@holdfast/agent";
import { AgentHostConfig, loadAgents } from "@holdfast/agent-service";
import { filesSeen, loadModule, ModuleFault, watchLoad } from "@holdfast/runtime/modules";
import { collectRefusals, type RefusedDefinition } from "@holdfast/workflow/check";
import { type LocatedError, locateError, namedIn } from "../project/locate-error.ts";

/** What an Agent's process tells `holdfast dev`. */
export type AgentMessage = {
  /** The files of the project that it has loaded. */
  readonly files: readonly string[];
} & (
  | {
      readonly agents: readonly { readonly name: string; readonly operations: readonly string[] }[];
      /** Agents of the file that do not run, and why. */
      readonly refused: readonly LocatedError[];
    }
  /** Why none of them runs. */
  | { readonly errors: readonly LocatedError[] }
  /** What keeps the file from being loaded, for now. */
  | { readonly waits: LocatedError }
);

/** The main file of a process that runs the Agents of one file. */
await runAgents("agent", AgentHostConfig, async ({ AGENT_MODULES: file }) => {
  const folder = process.cwd();
  const { loaded: agents, refused } = await collectRefusals(() => load(file, folder));
  const errors = refused.map((one) => located(one, file, folder));
  // Where all of them ran before, they go on.
  const mustBeWhole = process.env["HOLDFAST_WHOLE"] === "yes" || agents.length === 0;
  if (errors.length > 0 && mustBeWhole) return await fail(errors);
  const found = agents.map(({ name, contract: { operations } }) => ({
    name,
    operations: Object.entries(operations).flatMap(([operation, { undo }]) =>
      undo === undefined ? [operation] : [operation, undo],
    ),
  }));
  say({ agents: found, refused: errors, files: filesSeen() });
  return agents;
});

async function load(file: string, folder: string): Promise<readonly HostedAgent[]> {
  const place = relative(folder, file);
  const message =
    "it waits for something at its top level, such as a server: its Agents run once that has come";
  const onWait = (): void => say({ waits: { place, message }, files: filesSeen() });
  // A file that cannot be loaded says where, before the host says only why.
  await watchLoad(() => loadModule(file, folder), onWait).catch((error: unknown) =>
    fail([error instanceof ModuleFault ? error.located : locateError(error, file, folder)]),
  );
  return await loadAgents({ modules: [file], wanted: null, folder, env: process.env });
}

function located(refused: RefusedDefinition, file: string, folder: string): LocatedError {
  const { kind, name, error } = refused;
  const { message, place } = locateError(error, file, folder);
  return { message: namedIn(message, kind === "Agent" ? `Agent ${name}` : name), place };
}

function say(message: AgentMessage, then = (): void => {}): void {
  process.send?.(message, then);
}

function fail(errors: readonly LocatedError[]): Promise<never> {
  say({ errors, files: filesSeen() }, () => process.exit(78));
  return new Promise(() => {});
}
