import {
  durationText,
  type Milliseconds,
  type StepDefinition,
  type WorkflowDefinition,
} from "@holdfast/domain";

/**
 * What is said of a workflow whose waits take longer than its tasks may; null: they do not, as far
 * as is written down.
 */
export function overlongWaits({ steps, completeWithin }: WorkflowDefinition): string | null {
  if (completeWithin === null) return null;
  const byName = new Map(steps.map((step) => [step.name, step]));
  const known = new Map<string, Milliseconds>();
  const waitsTo = (name: string): Milliseconds => {
    const before = known.get(name);
    const step = byName.get(name);
    if (before !== undefined || step === undefined) return before ?? 0;
    const sum = longestOf(step) + Math.max(0, ...step.after.map(waitsTo));
    known.set(name, sum);
    return sum;
  };
  const longest = Math.max(0, ...steps.map(({ name }) => waitsTo(name)));
  return longest <= completeWithin
    ? null
    : `its steps wait for ${durationText(longest)} on the longest path, and a task may take ${durationText(completeWithin)} as a whole: it would be undone before it ends. Give the workflow a longer completeWithin, or none`;
}

/** The longest that a step waits, as far as is written down. */
function longestOf(step: StepDefinition): Milliseconds {
  switch (step.kind) {
    case undefined:
      return 0;
    case "approval":
    case "signal":
      return step.within ?? 0;
    case "wait":
      return "for" in step ? step.for : (step.atMost ?? 0);
  }
}
