import type { DeadLetterAct, DeadLetterRequest } from "@holdfast/state-store";
import { Problem } from "../problem.ts";

/** Throws unless a dead letter became what was requested. */
export function mustBeClosed(
  { id, action }: Pick<DeadLetterRequest, "id" | "action">,
  outcome: DeadLetterAct | null,
): void {
  if (outcome === action) return;
  if (outcome === null) {
    throw new Problem(404, "message.unknown", `There is no dead letter ${id}.`);
  }
  const what = outcome === "replay" ? "was sent once more" : "was discarded";
  throw new Problem(409, "message.settled", `The dead letter ${id} ${what} already.`);
}
