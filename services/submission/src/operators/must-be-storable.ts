import { payloadFaults } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { Problem } from "../problem.ts";

/** Throws a 422 for a value that is no payload: too large, too deep, or with text that cannot be stored. */
export function mustBeStorable(json: Json, what: string): void {
  const faults = payloadFaults(json);
  if (faults.length === 0) return;
  throw new Problem(422, "request.invalid", `The ${what} ${faults.join(" and ")}.`);
}
