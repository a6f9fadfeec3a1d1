import type { Reader } from "./access/access.ts";
import { codeAt, type Noun } from "./noun.ts";
import { Problem } from "./problem.ts";
import type { OpenWorkflow } from "./workflow-directory.ts";

export const keyReused = (noun: Noun) =>
  new Problem(
    422,
    "request.idempotency_key_reused",
    `This Idempotency-Key was used for another ${noun.singular}. Use a new one.`,
  );

/** Keys can be guessed, such as numbers of orders, so that only operators get the id of the task that has one. */
export function keyInUse(noun: Noun, taskId: string, reader: Reader): Problem {
  const isShown = reader === "operator";
  const holder = isShown ? `The open ${noun.singular} ${taskId}` : `Another open ${noun.singular}`;
  return new Problem(
    409,
    codeAt(noun, "task.key_in_use"),
    `${holder} has this key: only one can have it until it has ended.`,
    [],
    isShown ? { taskId } : {},
  );
}

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
