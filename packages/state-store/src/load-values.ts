import type { Json, TaskValues } from "@holdfast/domain";
import { columns } from "./columns.ts";
import { type Database, query } from "./query.ts";

/** The output of a step; without a name, the input of the task. */
export interface ValueRef {
  readonly taskId: string;
  readonly name: string | null;
}

interface ValueRow extends ValueRef {
  readonly value: Json;
  readonly correctedInput: Json;
}

export interface LoadedValues extends TaskValues {
  /** By step: what an operator put in the place of the input. */
  readonly correctedInputs: ReadonlyMap<string, Json>;
}

const select = query<{ taskIds: readonly string[]; names: readonly (string | null)[] }, ValueRow>(
  "load-values",
);

/**
 * Loads what is asked for, by task. Outputs are asked for when their steps are done: one that has
 * none was skipped, and counts as null.
 */
export async function loadValues(
  db: Database,
  refs: readonly ValueRef[],
): Promise<ReadonlyMap<string, LoadedValues>> {
  const rows = await select(db, columns(refs, { taskIds: "taskId", names: "name" }));
  const rowsByTask = Map.groupBy(rows, ({ taskId }) => taskId);
  const refsByTask = Map.groupBy(refs, ({ taskId }) => taskId);
  return new Map(
    [...refsByTask].map(([taskId, asked]) => [
      taskId,
      toValues(asked, rowsByTask.get(taskId) ?? []),
    ]),
  );
}

function toValues(asked: readonly ValueRef[], rows: readonly ValueRow[]): LoadedValues {
  const input = rows.find(({ name }) => name === null)?.value ?? null;
  const names = asked.flatMap(({ name }) => (name === null ? [] : [name]));
  const outputs = new Map<string, Json>(names.map((name) => [name, null]));
  const correctedInputs = new Map<string, Json>();
  for (const { name, value, correctedInput } of rows) {
    if (name === null) continue;
    outputs.set(name, value);
    if (correctedInput !== null) correctedInputs.set(name, correctedInput);
  }
  return { input, outputs, correctedInputs };
}
