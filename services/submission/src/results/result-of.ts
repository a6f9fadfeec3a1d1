import {
  everyRefOf,
  type Json,
  lookupIn,
  resolveTemplate,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { TaskRecord } from "@holdfast/state-store";

/**
 * Bytes of the values that a result is made of, as they are written out: each as often as the
 * workflow names it.
 */
export const mostResultBytes = 1024 * 1024;

/** What stands in the place of a result that is larger. */
export const tooLarge = Symbol("too large");

interface Made {
  readonly definition: Pick<WorkflowDefinition, "output">;
  /** Bytes of all values that it may be made of. */
  readonly bytes: number;
}

/**
 * What the workflow says a processed task results in; nothing of it is stored. A missing value
 * loses itself only.
 */
export function resultOf(
  {
    input,
    steps,
  }: Pick<TaskRecord, "input"> & {
    readonly steps: readonly Pick<TaskRecord["steps"][number], "name" | "output">[];
  },
  { definition: { output }, bytes }: Made,
): Json | typeof tooLarge {
  const lookup = lookupIn({
    input,
    outputs: new Map(steps.map((step) => [step.name, step.output])),
  });
  const refs = everyRefOf(output);
  if (refs.length * bytes > mostResultBytes) {
    let written = 0;
    for (const ref of refs) {
      written += Buffer.byteLength(JSON.stringify(lookup(ref) ?? null));
      if (written > mostResultBytes) return tooLarge;
    }
  }
  return resolveTemplate(output, lookup);
}
