import { createHash } from "node:crypto";
import { PermanentFault } from "@holdfast/domain";
import { z } from "zod";
import type { Api } from "./api.ts";
import type { StepResource, TaskResource } from "./resources.ts";
import { defineTool, TaskId, type Tool } from "./tool.ts";

const Actor = z
  .string()
  .min(1)
  .max(200)
  .describe("Who wants this: the person for whom you act. It is kept in the history.");
const Reason = z.string().min(1).max(1_000).describe("Why. It is kept in the history.");

const submitTask = defineTool({
  name: "submit_task",
  title: "Submit a task",
  description:
    "Submits a task of a stored workflow. The same key with the same input is one task, however often it is submitted; without a key, the same input is one task.",
  input: {
    workflow: z.string().min(1).describe("With its version, or without: the newest."),
    input: z.json(),
    idempotencyKey: z.string().min(1).max(255).optional(),
    priority: z.enum(["urgent", "normal", "batch"]).optional(),
    correlationId: z.string().optional(),
  },
  writes: true,
  run: ({ idempotencyKey, ...body }, api) => {
    const content = JSON.stringify([body.workflow, body.input]);
    const key = idempotencyKey ?? `mcp-${createHash("sha256").update(content).digest("hex")}`;
    return api.post("/v1/tasks", body, { "idempotency-key": key });
  },
});

const showTask = (api: Api, id: string) =>
  api.get<TaskResource>(`/v1/tasks/${encodeURIComponent(id)}`);

const resubmit = defineTool({
  name: "resubmit",
  title: "Resubmit a failed step",
  description:
    "Retries a step that failed for good, with its input or a corrected one. With dryRun, which is the default, it shows what would be resubmitted and changes nothing.",
  input: {
    id: TaskId,
    step: z.string().optional().describe("May be left out if only one step failed."),
    input: z.json().optional().describe("A corrected input, instead of the one that it had."),
    actor: Actor,
    reason: Reason,
    dryRun: z.boolean().default(true),
  },
  writes: true,
  async run({ id, step, input, actor, reason, dryRun }, api) {
    const task = await showTask(api, id);
    const failed = failedStep(task, step);
    if (dryRun) {
      const { name, agent, attempt, faultCode, faultDetail } = failed;
      return {
        dryRun: true,
        would: `start attempt ${attempt + 1} of step ${name} of Agent ${agent}${input === undefined ? "" : " with the corrected input"}`,
        step: { name, agent, attempt, faultCode, faultDetail },
        task: { id, workflow: task.workflow, state: task.state, version: task.version },
      };
    }
    const body = { actor, reason, version: task.version, step: failed.name };
    const path = `/v1/tasks/${encodeURIComponent(id)}/resubmit`;
    await api.post(path, input === undefined ? body : { ...body, input });
    return showTask(api, id);
  },
});

function failedStep({ id, steps }: TaskResource, name: string | undefined): StepResource {
  const failed = steps.filter(({ processState }) => processState === "error");
  const meant = failed.filter((one) => name === undefined || one.name === name);
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only;
  const names = failed.map((one) => one.name).join(", ");
  if (names === "") throw new PermanentFault("task.nothing_failed", `No step of ${id} failed.`);
  throw new PermanentFault("task.step_not_failed", `Say which step; these failed: ${names}.`);
}

const undoTask = defineTool({
  name: "undo_task",
  title: "Undo a task",
  description:
    "Undoes a task: what is done is compensated in reverse order, and what is not begun is cancelled. It cannot be taken back. With dryRun, which is the default, it shows which steps would be undone and changes nothing.",
  input: {
    id: TaskId,
    actor: Actor,
    reason: Reason,
    cancel: z
      .boolean()
      .default(false)
      .describe("Whether the history says that the task was cancelled."),
    dryRun: z.boolean().default(true),
  },
  writes: true,
  async run({ id, actor, reason, cancel, dryRun }, api) {
    const task = await showTask(api, id);
    if (dryRun) {
      const begun = task.steps.filter(({ attempt }) => attempt > 0);
      return {
        dryRun: true,
        would: "undo the task",
        begun: begun.map(({ name, processState }) => ({ name, processState })),
        task: { id, workflow: task.workflow, state: task.state, version: task.version },
      };
    }
    const path = `/v1/tasks/${encodeURIComponent(id)}/${cancel ? "cancel" : "undo"}`;
    await api.post(path, { actor, reason, version: task.version });
    return showTask(api, id);
  },
});

export const writeTools: readonly Tool[] = [submitTask, resubmit, undoTask];
