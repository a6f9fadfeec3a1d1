import { codeAt, type Noun } from "./noun.ts";
import { Problem } from "./problem.ts";
import type { OpenWorkflow } from "./workflow-directory.ts";

export const keyReused = (noun: Noun) =>
  new Problem(
    422,
    "request.idempotency_key_reused",
    `This Idempotency-Key was used for another ${noun.singular}. Use a new one.`,
  );

export const keyInUse = (noun: Noun, taskId: string) =>
  new Problem(
    409,
    codeAt(noun, "task.key_in_use"),
    `The open ${noun.singular} ${taskId} has this key: only one can have it until it has ended.`,
    [],
    { taskId },
  );

export const retired = ({ name }: Pick<OpenWorkflow, "name">) =>
  new Problem(
    410,
    "workflow.retired",
    `The workflow ${name} is retired: it takes no new tasks. Those under way go on.`,
  );

export const agentsUnknown = ({ name }: OpenWorkflow, agents: readonly string[]) =>
  new Problem(
    409,
    "workflow.agents_unknown",
    `No Agent ${agents.join(", ")} has ever announced itself, and ${name} needs it. Start it, or submit with ?allowUnknownAgents=true to have the task wait for it.`,
  );
