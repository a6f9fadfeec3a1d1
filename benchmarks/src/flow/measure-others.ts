import { setTimeout as sleep } from "node:timers/promises";
import { host, startAgents } from "@holdfast/agent";
import { newTask, percentile } from "@holdfast/load";
import { watched } from "../finish-listener.ts";
import type { Holdfast } from "../start-holdfast.ts";
import { apart } from "../workflow.ts";

export interface OtherOptions {
  readonly brokerUrl: string;
  /** Seconds for which one Agent is down, and for which it was measured before. */
  readonly seconds: number;
}

export interface Others {
  readonly othersP99Ratio: number;
  readonly othersP99BeforeMs: number;
  readonly othersP99Ms: number;
}

/** Milliseconds between two tasks for the Agent that goes down. */
const every = 20;
const act = async () => ({ ok: true });

/**
 * What the tasks of four Agents take while a fifth one is down and its backlog grows, beside what
 * they took before.
 */
export async function measureOthers(
  { store, hint, finished }: Pick<Holdfast, "store" | "hint" | "finished">,
  { brokerUrl, seconds }: OtherOptions,
): Promise<Others> {
  await using owner = new AsyncDisposableStack();
  for (const { workflow } of apart) await store.registerWorkflow(workflow.definition);
  const running = [];
  for (const { agent } of apart) {
    const agents = [host(agent, { act })];
    running.push(owner.use(await startAgents({ broker: brokerUrl, agents, concurrency: 20 })));
  }
  const [down, ...well] = apart.map(({ workflow }) => workflow.name);

  const submit = async (workflow: string, correlationId: string | null): Promise<string> => {
    const task = { ...newTask({ workflow, input: { id: "x", padding: "" } }), correlationId };
    const [submitted] = await store.submitTasks([task], { actor: "bench" });
    hint();
    if (submitted?.kind !== "created") throw new Error("The task was not taken");
    return submitted.taskId;
  };
  const p99 = async (): Promise<number> => {
    const times: number[] = [];
    const end = performance.now() + seconds * 1_000;
    const inTurn = async (workflow: string): Promise<void> => {
      while (performance.now() < end) {
        const from = performance.now();
        await finished(await submit(workflow, watched));
        times.push(performance.now() - from);
      }
    };
    const steadily = async (): Promise<void> => {
      for (; performance.now() < end; await sleep(every)) await submit(down!, null);
    };
    await Promise.all([...well.map(inTurn), steadily()]);
    return percentile(times, 0.99);
  };

  await p99();
  const before = await p99();
  await running[0]![Symbol.asyncDispose]();
  const during = await p99();
  return {
    othersP99Ratio: during / before,
    othersP99BeforeMs: before,
    othersP99Ms: during,
  };
}
