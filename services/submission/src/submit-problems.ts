import { type AskedSubmission, allowedVisible } from "@holdfast/contracts";
import { needsSubmitter } from "@holdfast/domain";
import { type Clock, systemClock, turnsOf } from "@holdfast/runtime";
import { type NewTask, readSubmission, SubmissionFault } from "@holdfast/state-store";
import type { Reader } from "./access/access.ts";
import { Problem } from "./problem.ts";
import type { OpenWorkflow } from "./workflow-directory.ts";

/**
 * Refusals that are answered 400 instead of 422: what is wrong stands in a header of HTTP or in a
 * property of a message.
 */
export const codesOfHeaders = [
  "request.correlation_id_invalid",
  "request.idempotency_key_invalid",
  "request.reply_to_invalid",
] as const;
const inHeaders: ReadonlySet<string> = new Set(codesOfHeaders);

/** What a submission is read with. */
export type ReadingOptions = NonNullable<Parameters<typeof readSubmission>[2]> & {
  /** The id of who submits it; null: it is unknown. */
  readonly submittedBy: string | null;
};

/**
 * Makes the task of a submission, in a turn of the event loop that has time for it. Throws a
 * `Problem` for one that is not to be a task.
 */
export async function readSubmissionAt(
  asked: AskedSubmission,
  workflow: OpenWorkflow,
  { submittedBy, ...options }: ReadingOptions,
  clock: Clock = systemClock,
): Promise<NewTask> {
  const turns = turnsOf(clock);
  if (turns.isOver()) await turns.next();
  if (submittedBy === null && needsSubmitter(workflow.definition)) throw submitterUnknown(workflow);
  try {
    return { ...(await readSubmission(asked, workflow, options)), submittedBy };
  } catch (error) {
    if (!(error instanceof SubmissionFault)) throw error;
    const { code, message, errors } = error;
    throw new Problem(inHeaders.has(code) ? 400 : 422, code, message, errors);
  }
}

/** `key` is what the idempotency key is called on the way in, `other` what it was used for. */
export const keyReused = (
  key: "Idempotency-Key" | "message_id" | "idempotencyKey",
  other: string,
) =>
  new Problem(
    422,
    "request.idempotency_key_reused",
    `This ${key} was used for another ${other}. Use a new one.`,
  );

export const keyInvalid = () =>
  new Problem(400, "request.idempotency_key_invalid", `Idempotency-Key must be ${allowedVisible}.`);

/**
 * Keys can be guessed, such as numbers of orders, so that only operators get the id of the task
 * that has one.
 */
export function keyInUse(taskId: string, reader: Reader): Problem {
  const isShown = reader === "operator";
  const holder = isShown ? `The open task ${taskId}` : "Another open task";
  return new Problem(
    409,
    "task.key_in_use",
    `${holder} has this key: only one can have it until it has ended.`,
    [],
    isShown ? { taskId } : {},
  );
}

const submitterUnknown = ({ name }: Pick<OpenWorkflow, "name">) =>
  new Problem(
    403,
    "task.submitter_unknown",
    `Who submits a task of ${name} may not decide about it, so it must be known who does: show a key or a token that the file of ACCESS_FILE knows, or publish with user_id.`,
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
