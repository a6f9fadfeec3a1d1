import type { DeadLetterAct, DeadLetterRequest } from "@holdfast/state-store";
import { Problem } from "../problem.ts";

/** What is said where no dead letter has this number. */
export const noDeadLetter = (id: string): Problem =>
  new Problem(404, "message.unknown", `There is no dead letter ${id}.`);

/** Throws unless a dead letter became what was requested. */
export function mustBeClosed(
  { id, action }: Pick<DeadLetterRequest, "id" | "action">,
  outcome: DeadLetterAct | null,
): void {
  if (outcome === action) return;
  if (outcome === null) throw noDeadLetter(id);
  const what = outcome === "replay" ? "was sent once more" : "was discarded";
  throw new Problem(409, "message.settled", `The dead letter ${id} ${what} already.`);
}
