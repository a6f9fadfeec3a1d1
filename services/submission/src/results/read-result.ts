import { type Json, refsOf, stepOfRef } from "@holdfast/domain";
import type { SubmissionStore } from "@holdfast/state-store";
import type { MakeRoom } from "../room.ts";
import type { ShownTask, TaskResource } from "../task-resource.ts";
import { mostResultBytes, resultOf, tooLarge } from "./result-of.ts";

/** Adds the result to a processed task whose payloads were not read: it may need few of them. */
export async function readResult(
  store: Pick<SubmissionStore, "findPayloads">,
  { resource, definition }: ShownTask,
  makeRoom: MakeRoom,
): Promise<TaskResource> {
  const { omitted = [], ...task } = resource;
  if (!(omitted.includes("payloads") && omitted.includes("result"))) return resource;
  const names = [...new Set(refsOf(definition.output).map(stepOfRef))];
  await makeRoom(mostResultBytes);
  const texts = await store.findPayloads({ taskId: task.id, names, most: mostResultBytes });
  const bytes = texts.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0);
  if (texts.length < names.length || bytes > mostResultBytes) return resource;
  const values = new Map(texts.map(({ name, payload }) => [name, parse(payload)]));
  const input = values.get(null) ?? null;
  const steps = task.steps.map(({ name }) => ({ name, output: values.get(name) ?? null }));
  const result = resultOf({ input, steps }, { definition, bytes });
  if (result === tooLarge) return resource;
  return { ...task, result, omitted: omitted.filter((part) => part !== "result") };
}

const parse = (text: string | null): Json => (text === null ? null : (JSON.parse(text) as Json));
