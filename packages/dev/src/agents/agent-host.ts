import { runAgents } from "@holdfast/agent";
import { AgentHostConfig, loadAgents } from "@holdfast/agent-service";
import { filesSeen, loadModule, ModuleFault } from "@holdfast/runtime/modules";
import { type LocatedError, locateError } from "../project/locate-error.ts";

/** What an Agent's process tells `holdfast dev`. */
export type AgentMessage =
  | {
      readonly agents: readonly { readonly name: string; readonly operations: readonly string[] }[];
      /** The files of the project that they are made of. */
      readonly files: readonly string[];
    }
  | { readonly error: LocatedError; readonly files: readonly string[] };

/** The main file of a process that runs the Agents of one file. */
await runAgents("agent", AgentHostConfig, async ({ AGENT_MODULES: file }) => {
  const folder = process.cwd();
  // A file that cannot be loaded says where, before the host says only why.
  await loadModule(file, folder).catch((error: unknown) =>
    fail(error instanceof ModuleFault ? error.located : locateError(error, file, folder)),
  );
  const agents = await loadAgents({ modules: [file], wanted: null, folder, env: process.env });
  const found = agents.map(({ name, contract: { operations } }) => ({
    name,
    operations: Object.entries(operations).flatMap(([operation, { undo }]) =>
      undo === undefined ? [operation] : [operation, undo],
    ),
  }));
  process.send?.({ agents: found, files: filesSeen() } satisfies AgentMessage);
  return agents;
});

function fail(error: LocatedError): Promise<never> {
  const said: AgentMessage = { error, files: filesSeen() };
  process.send?.(said, () => process.exit(78));
  return new Promise(() => {});
}
