import { setTimeout as sleep } from "node:timers/promises";

/** A task as the API shows it, as far as it is printed. */
export interface ShownTask {
  readonly id: string;
  readonly state: string;
  readonly workflow: string;
  readonly result: unknown;
  readonly faultCode: string | null;
  readonly steps: readonly {
    readonly name: string;
    readonly agent: string | null;
    readonly processState: string;
    readonly attempt: number;
    readonly faultCode: string | null;
  }[];
}

/** Milliseconds between two looks at a task. */
const lookEvery = 25;
const ended: ReadonlySet<string> = new Set(["processed", "undone", "halted"]);

/** Submits a task to the active version of a workflow, and resolves to its id. Throws what the API answers instead. */
export async function submitTask(api: string, workflow: string, input: unknown): Promise<string> {
  const response = await fetch(`${api}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workflow, input }),
  });
  const answer = (await response.json()) as {
    readonly id?: string;
    readonly detail?: string;
    readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  };
  if (answer.id !== undefined) return answer.id;
  const errors = (answer.errors ?? []).map(({ pointer, detail }) => ` ${pointer} ${detail}.`);
  throw new Error(`The task was refused: ${answer.detail ?? response.status}${errors.join("")}`);
}

/** Looks at a task until `isMet`, or until `signal` aborts: then null. */
export async function lookUntil(
  api: string,
  id: string,
  { isMet, signal }: { readonly isMet: (task: ShownTask) => boolean; readonly signal: AbortSignal },
): Promise<ShownTask | null> {
  while (!signal.aborted) {
    const response = await fetch(`${api}/v1/tasks/${id}`, { signal }).catch(() => null);
    if (response?.ok) {
      const task = (await response.json()) as ShownTask;
      if (isMet(task)) return task;
    }
    await sleep(lookEvery, undefined, { signal }).catch(() => {});
  }
  return null;
}

export const hasEnded = ({ state }: ShownTask): boolean => ended.has(state);

/** A task and its steps, as lines. */
export function taskLines({ id, state, result, faultCode, steps }: ShownTask): readonly string[] {
  const width = Math.max(...steps.map(({ name }) => name.length));
  const shown = state === "processed" ? ` ${JSON.stringify(result)}` : ` ${faultCode ?? ""}`;
  return [
    `${id} ${state}${shown}`.trimEnd(),
    ...steps.map((step) =>
      `  ${step.name.padEnd(width)}  ${step.processState.padEnd(10)} ${step.faultCode ?? ""}`.trimEnd(),
    ),
  ];
}
