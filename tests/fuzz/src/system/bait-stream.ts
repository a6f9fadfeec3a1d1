import { setTimeout as sleep } from "node:timers/promises";
import { newTask } from "@holdfast/load";
import type { StateStore } from "@holdfast/state-store";
import { baitWorkflow } from "./hostile-agent.ts";

interface Options {
  readonly store: Pick<StateStore, "submitTasks">;
  /** A second. */
  readonly rate: number;
  readonly submitted: (taskId: string) => void;
}

/** Submits work for the hostile Agent until the signal. */
export async function streamBaits(options: Options, signal: AbortSignal): Promise<void> {
  const { store, rate, submitted } = options;
  const task = newTask({ workflow: baitWorkflow.name, input: null });
  while (!signal.aborted) {
    for (const one of await store.submitTasks([task], { actor: "fuzz" })) {
      if (one.kind === "created") submitted(one.taskId);
    }
    await sleep(1_000 / rate, undefined, { signal }).catch(() => {});
  }
}
