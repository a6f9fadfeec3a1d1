import { randomUUID } from "node:crypto";
import type { Json } from "@holdfast/domain";
import { wakeHint } from "@holdfast/messaging";
import type { InputOf, Schema, Workflow } from "@holdfast/workflow";
import type { MemoryBroker } from "./simulator/broker/memory-broker.ts";
import type { MemoryStore } from "./simulator/store/memory-store.ts";

interface Submission {
  readonly store: MemoryStore;
  readonly broker: MemoryBroker;
  /** The id of who submits it. */
  readonly submittedBy: string;
}

/**
 * Checks the input by the schema of the workflow and submits a task. Returns the id of the task.
 */
export async function submitTask<S extends Schema>(
  { name, input: schema }: Workflow<S>,
  input: InputOf<S>,
  { store, broker, submittedBy }: Submission,
): Promise<string> {
  const checked = await schema["~standard"].validate(input);
  if (checked.issues !== undefined) {
    const problems = checked.issues.map(({ message }) => message).join("; ");
    throw new Error(`${name} does not accept this input: ${problems}`);
  }
  const [submitted] = store.submitTasks(
    [
      {
        tenant: "default",
        workflow: name,
        // What a submission stores: JSON.
        input: JSON.parse(JSON.stringify(input)) as Json,
        submittedBy,
        priority: "normal",
        fairness: null,
        replyTo: null,
        correlationId: null,
        idempotency: { key: randomUUID(), hash: "" },
      },
    ],
    { actor: "test" },
  );
  wakeHint({ publish: async (message) => (broker.store(message) ? "stored" : "unroutable") })();
  if (submitted?.kind !== "created") throw new Error(`${name} was not submitted`);
  return submitted.taskId;
}
