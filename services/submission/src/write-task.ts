import { randomUUID } from "node:crypto";
import type { SubmissionStore } from "@holdfast/state-store";
import type { TaskResource } from "./task-resource.ts";

/** Bytes of payloads that are read at a time; of one that is larger, that one. */
export const partBytes = 512 * 1024;

interface WriteOptions {
  readonly store: Pick<SubmissionStore, "findPayloads">;
}

/**
 * Writes a task whose payloads were left out, and adds them: as the text that is stored, and not
 * before the client has read those that come first. They never change, so that it does not matter
 * when they are read.
 */
export async function* writeTask(
  { omitted = [], ...task }: TaskResource,
  { store }: WriteOptions,
): AsyncGenerator<Buffer> {
  const mark = randomUUID();
  const steps = task.steps.map((step, index) => ({
    ...step,
    output: `${mark}p${index}`,
    faultDetail: `${mark}f${index}`,
  }));
  const left = omitted.filter((part) => part !== "payloads");
  const skeleton = {
    ...task,
    input: `${mark}p-1`,
    steps,
    ...(left.length === 0 ? {} : { omitted: left }),
  };
  const names = [null, ...task.steps.map(({ name }) => name)];
  const payloads = payloadReader(store, { taskId: task.id, names });
  // What stands between the payloads, and which payload comes next.
  const pieces = JSON.stringify(skeleton).split(new RegExp(`"${mark}([pf])(-?[0-9]+)"`));
  for (let at = 0; at < pieces.length; at += 3) {
    yield Buffer.from(pieces[at] ?? "");
    if (at + 2 >= pieces.length) return;
    const { payload, faultDetail } = await payloads.at(Number(pieces[at + 2]) + 1);
    yield Buffer.from(pieces[at + 1] === "p" ? (payload ?? "null") : JSON.stringify(faultDetail));
  }
}

/** Reads payloads in their order, and keeps a part of them. */
function payloadReader(
  store: Pick<SubmissionStore, "findPayloads">,
  { taskId, names }: { readonly taskId: string; readonly names: readonly (string | null)[] },
) {
  let [first, part] = [0, [] as Awaited<ReturnType<SubmissionStore["findPayloads"]>>];
  return {
    async at(index: number): Promise<(typeof part)[number]> {
      if (index < first || index >= first + part.length) {
        part = [];
        part = await store.findPayloads({ taskId, names: names.slice(index), most: partBytes });
        first = index;
      }
      const found = part[index - first];
      if (found === undefined) throw new Error("The task is gone");
      return found;
    },
  };
}
