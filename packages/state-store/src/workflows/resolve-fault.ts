import { type Soon, soon } from "@holdfast/contracts";
import { type Json, type StepKind, stepKinds } from "@holdfast/domain";
import type { StepContracts } from "./output-contract.ts";

/** Why what a person did instead of a step cannot be recorded. */
export interface ResolveFault {
  readonly code: string;
  /** One sentence without its full stop, for people. */
  readonly message: string;
  /** Nothing was said of the output, and later steps may use it. */
  readonly isMissing: boolean;
}

/**
 * Why a failed step cannot be resolved with this output; null: it can. Undefined: no output was
 * given.
 */
export function resolveFault(
  contracts: StepContracts | null,
  { name, kind }: { readonly name: string; readonly kind: StepKind },
  output: Json | undefined,
): Soon<ResolveFault | null> {
  if (!stepKinds[kind].hasUsableOutput) return null;
  if (output === undefined) {
    const message = `Say in output what step ${name} returned: the steps after it may use it`;
    return { code: "bulk.output_missing", message, isMissing: true };
  }
  return soon(contracts?.output(name, output) ?? null, (fault) =>
    fault === null ? null : { code: fault.code, message: fault.message, isMissing: false },
  );
}
