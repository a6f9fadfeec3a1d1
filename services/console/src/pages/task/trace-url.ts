import type { Task } from "../../api/types.ts";

/** The address of the trace of a task, by the template of the settings; null: there is none. */
export function traceUrlOf(template: string | null, task: Task): string | null {
  const traceId: unknown = "traceId" in task ? task.traceId : null;
  if (template === null || typeof traceId !== "string") return null;
  const url = template.replaceAll("{traceId}", encodeURIComponent(traceId));
  return /^https?:\/\//.test(url) ? url : null;
}
