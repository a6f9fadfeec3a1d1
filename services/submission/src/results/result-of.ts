import {
  everyRefOf,
  type Json,
  type Lookup,
  lookupIn,
  resolveTemplate,
  type Template,
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
  const outputs = new Map(steps.map((step) => [step.name, step.output]));
  return filledWithin(output, {
    lookup: lookupIn({ input, outputs }),
    bytes,
    most: mostResultBytes,
  });
}

interface Filling {
  readonly lookup: Lookup;
  /** Bytes of all values that it may be made of. */
  readonly bytes: number;
  /** Bytes of the values that it is made of, as they are written out. */
  readonly most: number;
}

/** Fills a template, unless what it is made of is larger than that. */
export function filledWithin(
  template: Template,
  { lookup, bytes, most }: Filling,
): Json | typeof tooLarge {
  const refs = everyRefOf(template);
  if (refs.length * bytes > most) {
    let written = 0;
    for (const ref of refs) {
      written += Buffer.byteLength(JSON.stringify(lookup(ref) ?? null));
      if (written > most) return tooLarge;
    }
  }
  return resolveTemplate(template, lookup);
}
