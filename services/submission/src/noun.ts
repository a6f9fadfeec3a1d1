import { singularOf } from "@holdfast/contracts";
import type { FaultCode } from "@holdfast/domain";

/** What tasks are called at a door: `/v1/tasks`, or the collection of a workflow such as `/v1/orders`. */
export interface Noun {
  readonly plural: string;
  /** Begins the codes of what is refused: `order.unknown`. */
  readonly singular: string;
  /** The name under which a task shows what it was submitted with. */
  readonly inputField: string;
  /** The workflow, without its version, whose tasks these are; null: tasks of any workflow. */
  readonly family: string | null;
}

export const taskNoun: Noun = {
  plural: "tasks",
  singular: "task",
  inputField: "input",
  family: null,
};

export const nounOf = (collection: string, family: string): Noun => {
  const singular = singularOf(collection);
  return { plural: collection, singular, inputField: singular, family };
};

/** A code about tasks, as the catalogue has it. */
export type TaskCode = Extract<FaultCode, `task.${string}`>;

/** The code at the door of a noun: what is `task.unknown` at `/v1/tasks` is `order.unknown` at `/v1/orders`. */
export const codeAt = ({ singular }: Noun, code: TaskCode): FaultCode =>
  code.replace(/^task/, singular) as FaultCode;
