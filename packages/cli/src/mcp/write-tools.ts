import { createHash } from "node:crypto";
import type { Step, Task } from "@holdfast/client";
import { canonicalJson, isBegun, PermanentFault } from "@holdfast/domain";
import { z } from "zod";
import { defineTool, type Tool } from "./tool.ts";
import { given, meantBy, toolDescription, toolInput } from "./tool-input.ts";

const dryRun = meantBy("boolean", z.boolean().default(true));
const actor = "The actor is the person for whom you act.";

const { "idempotency-key": idempotencyKey } = toolInput("submitTask", "idempotency-key");
const { "idempotency-key": signalKey } = toolInput("sendSignal", "idempotency-key");

/** A key that the same content has again. */
const keyOf = (content: readonly unknown[]): string =>
  `mcp-${createHash("sha256").update(canonicalJson(content)).digest("hex")}`;

const submitTask = defineTool({
  name: "submit_task",
  title: "Submit a task",
  description: toolDescription(
    "submitTask",
    "The same idempotency key with the same input is one task, however often it is submitted; without a key, the same input is one task. Give the input as JSON: a text that holds an object or a list is read as that.",
  ),
  operations: ["submitTask"],
  input: {
    ...toolInput("submitTask", "workflow", "input", "key", "labels", "priority", "notBefore"),
    ...toolInput("submitTask", "correlationId"),
    idempotencyKey,
  },
  writes: true,
  run: ({ workflow = "", input, idempotencyKey: asked, ...how }, client) => {
    const key = asked ?? keyOf([workflow, input]);
    return client.submit(workflow, input, { ...given(how), idempotencyKey: key });
  },
});

const resubmit = defineTool({
  name: "resubmit",
  title: "Resubmit a failed step",
  description: toolDescription(
    "resubmitStep",
    `With dryRun, which is the default, it shows what would be resubmitted and changes nothing. ${actor}`,
  ),
  operations: ["resubmitStep", "getTask"],
  input: {
    ...toolInput("resubmitStep", "id", "step", "input", "patch", "actor", "reason"),
    dryRun,
  },
  writes: true,
  async run({ id = "", reason = "", dryRun: isDry, ...asked }, { tasks }) {
    const task = await tasks.get(id);
    const { version } = task;
    const { step, ...how } = given(asked);
    const failed = failedStep(task, step);
    const attribution = { ...how, reason, version, step: failed.name };
    if (!isDry) return tasks.resubmit(id, attribution);
    const { name, agent, attempt, faultCode, faultDetail } = failed;
    return {
      dryRun: true,
      would: `start attempt ${attempt + 1} of step ${name} of Agent ${agent}${how.input === undefined && how.patch === undefined ? "" : " with the corrected input"}`,
      step: { name, agent, attempt, faultCode, faultDetail },
      task: { id, workflow: task.workflow, state: task.state, version },
    };
  },
});

function failedStep({ id, steps }: Task, name: string | undefined): Step {
  const failed = steps.filter(({ processState }) => processState === "error");
  const meant = failed.filter((one) => name === undefined || one.name === name);
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only;
  const names = failed.map((one) => one.name).join(", ");
  if (names === "") throw new PermanentFault("task.nothing_failed", `No step of ${id} failed.`);
  throw new PermanentFault("task.step_not_failed", `Say which step; these failed: ${names}.`);
}

const cancelTask = defineTool({
  name: "cancel_task",
  title: "Cancel a task",
  description: `Cancels a task: what began is undone in reverse order, and nothing more begins. It cannot be taken back. With dryRun, which is the default, it shows which steps would be undone and changes nothing. ${actor}`,
  operations: ["cancelTask", "getTask"],
  input: {
    ...toolInput("cancelTask", "id", "actor", "reason"),
    dryRun,
  },
  writes: true,
  async run({ id = "", reason = "", dryRun: isDry, ...asked }, { tasks }) {
    const { workflow, state, version, steps } = await tasks.get(id);
    const attribution = { ...given(asked), reason, version };
    if (!isDry) return tasks.cancel(id, attribution);
    const begun = steps.filter(isBegun);
    return {
      dryRun: true,
      would: "cancel the task",
      begun: begun.map(({ name, processState }) => ({ name, processState })),
      task: { id, workflow, state, version },
    };
  },
});

const fireWait = defineTool({
  name: "fire_wait",
  title: "End the wait of a step",
  description: toolDescription(
    "fireStep",
    `The steps after it begin as if its time had come. It cannot be taken back. With dryRun, which is the default, it shows which wait would end and changes nothing. ${actor}`,
  ),
  operations: ["fireStep", "getTask"],
  input: {
    ...toolInput("fireStep", "id", "step", "actor", "reason"),
    dryRun,
  },
  writes: true,
  async run({ id = "", step = "", reason = "", dryRun: isDry, ...asked }, { tasks }) {
    const task = await tasks.get(id);
    const { workflow, state, version } = task;
    const { name, processState, awaiting } = waitingStep(task, step);
    if (!isDry) return tasks.fire(id, { ...given(asked), reason, version, step: name });
    return {
      dryRun: true,
      would: `end the wait of step ${name}${awaiting?.until == null ? "" : `, which ends by itself at ${awaiting.until}`}`,
      step: { name, processState, awaiting },
      task: { id, workflow, state, version },
    };
  },
});

const sendSignal = defineTool({
  name: "send_signal",
  title: "Send a signal to a task",
  description: toolDescription(
    "sendSignal",
    `The same idempotency key with the same payload is one signal, however often it is sent; without a key, the same payload is one signal. It cannot be taken back. With dryRun, which is the default, it shows which steps wait for it and changes nothing. Give the payload as JSON. ${actor}`,
  ),
  operations: ["sendSignal", "getTask"],
  input: {
    ...toolInput("sendSignal", "id", "name", "payload", "actor"),
    idempotencyKey: signalKey,
    dryRun,
  },
  writes: true,
  async run({ id = "", name = "", payload, idempotencyKey: asked, dryRun: isDry, ...who }, client) {
    if (!isDry) {
      const key = asked ?? keyOf([id, name, payload]);
      return client.tasks.signal(id, name, payload, { ...given(who), id: key });
    }
    const { workflow, state, version, steps } = await client.tasks.get(id);
    const waiting = steps.filter(({ awaiting }) => awaiting?.signal === name);
    const names = waiting.map((one) => one.name);
    const takers = names.length === 0 ? "no step waits for now" : `${names.join(", ")} waits for`;
    return {
      dryRun: true,
      would: `send the signal ${name}, which ${takers}`,
      steps: waiting.map(({ name: step, awaiting }) => ({ name: step, awaiting })),
      task: { id, workflow, state, version },
    };
  },
});

function waitingStep({ id, steps }: Task, name: string): Step {
  const awaiting = steps.filter(({ processState }) => processState === "awaiting");
  const meant = awaiting.find((one) => one.name === name);
  if (meant !== undefined) return endable(id, meant);
  const names = awaiting.map((one) => one.name).join(", ");
  const which = names === "" ? "No step of the task waits." : `These wait: ${names}.`;
  throw new PermanentFault("task.not_awaiting", `Step ${name} of ${id} does not wait. ${which}`);
}

/** Throws for a step that people decide: no operator, and no assistant, decides in their place. */
function endable(id: string, step: Step): Step {
  const audience = step.awaiting?.audience ?? null;
  if (audience === null) return step;
  throw new PermanentFault(
    "task.needs_decision",
    `Step ${step.name} of ${id} waits for ${audience} to decide: leave it to them, or cancel the task.`,
  );
}

export const writeTools: readonly Tool[] = [submitTask, resubmit, cancelTask, fireWait, sendSignal];
