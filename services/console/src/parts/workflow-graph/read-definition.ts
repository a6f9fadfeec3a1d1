import type { ShownStep } from "./workflow-graph.tsx";

/** The steps of a stored definition. Of a newer format, which this page does not know, what it understands. */
export function stepsOfDefinition(definition: unknown): readonly ShownStep[] {
  const steps = isRecord(definition) ? definition["steps"] : null;
  if (!Array.isArray(steps)) return [];
  return steps.filter(isRecord).flatMap((step) => {
    const { name, agent, after, onlyIf, undo } = step;
    if (typeof name !== "string") return [];
    return [
      {
        name,
        note: typeof agent === "string" ? agent : "",
        after: Array.isArray(after) ? after.filter((one) => typeof one === "string") : [],
        isUndoable: isRecord(undo),
        isConditional: onlyIf !== null && onlyIf !== undefined,
        look: null,
      },
    ];
  });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
