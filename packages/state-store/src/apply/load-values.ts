import { limits } from "@holdfast/contracts";
import type { Json, StepState, TaskValues } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { columns, type Database, query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** The output of a step; without a name, the input of the task. */
export interface ValueRef {
  readonly taskId: string;
  readonly name: string | null;
}

interface ValueRow extends ValueRef {
  readonly value: Json;
  readonly correctedInput: Json;
  /** Whether an operator has corrected the input. */
  readonly hasCorrectedInput: boolean;
  /** Bytes of the longer of the two; a value that is too long is null. */
  readonly bytes: number;
  /** Whether there was room for the values of its task. */
  readonly fits: boolean;
}

export interface LoadedValues extends TaskValues {
  /** What an operator put in the place of the input, by step. */
  readonly correctedInputs: ReadonlyMap<string, Json>;
  /** Why the values cannot be used; null: they can. */
  readonly problem: string | null;
  /**
   * Bytes of the values, which were left out because there was no room for them; null: none was.
   */
  readonly leftOut: number | null;
}

const select = query("load-values", rowsOf<ValueRow>());

/** Four times what is ever stored, for a person may have written it with line breaks. */
const mostBytes = 4 * limits.payloadBytes;

export interface ValuesOptions {
  readonly refs: readonly ValueRef[];
  /**
   * How many bytes of JSON are loaded. Parsed, they take up to fifteen times that. What belongs to
   * one task is loaded together or not at all.
   */
  readonly most: number;
}

/**
 * Loads inputs and outputs, by task, as many as there is room for. Values that are too long are
 * null, with a `problem`. Outputs are asked for when their steps are done: one that has none was
 * skipped, and counts as null.
 */
export const loadValues = repeatable(readValues);

/** Loads values as `loadValues` does, in the transaction of its caller. */
export async function readValues(
  db: Database,
  { refs, most }: ValuesOptions,
): Promise<ReadonlyMap<string, LoadedValues>> {
  const names = { taskIds: "taskId", names: "name" } as const;
  const rows = await select(db, { ...columns(refs, names), mostBytes, most });
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
  for (const { name, value, correctedInput, hasCorrectedInput } of rows) {
    if (name === null) continue;
    outputs.set(name, value);
    if (hasCorrectedInput) correctedInputs.set(name, correctedInput);
  }
  const leftOut = rows.every(({ fits }) => fits)
    ? null
    : rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return { input, outputs, correctedInputs, problem: problemOf(rows), leftOut };
}

function problemOf(rows: readonly ValueRow[]): string | null {
  const long = rows.find(({ bytes }) => bytes > mostBytes);
  if (long === undefined) return null;
  const what = long.name === null ? "The input of the task" : `The output or input of ${long.name}`;
  return `${what} is ${long.bytes} bytes long in the state store, of at most ${mostBytes}`;
}

/** A call as its undo needs it. */
export interface CallFacts {
  readonly taskId: string;
  readonly name: string;
  readonly processState: StepState;
  readonly keyGeneration: number;
  /** Its last one. */
  readonly attempt: number;
}

const selectCalls = queryAmong("load-undone-steps", rowsOf<CallFacts>());

/** Loads the calls of tasks that are being undone. */
export const loadCalls = repeatable(
  (
    db,
    params: { readonly taskIds: readonly string[] },
    { partitions },
  ): Promise<readonly CallFacts[]> => selectCalls(db, partitions.monthsOf(params.taskIds), params),
);
