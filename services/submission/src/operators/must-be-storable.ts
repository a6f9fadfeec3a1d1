import { payloadFaultsAt, payloadWords } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { Problem } from "../problem.ts";

/**
 * Throws a 422 for a value that is no payload: too large, too deep, or with text that cannot be
 * stored.
 */
export function mustBeStorable(json: Json, what: string): void {
  const faults = payloadFaultsAt(json);
  if (faults.length === 0) return;
  const errors = faults.map(({ pointer, detail }) => ({ pointer: `/${what}${pointer}`, detail }));
  throw new Problem(422, "request.invalid", `The ${what} ${payloadWords(faults)}.`, errors);
}
