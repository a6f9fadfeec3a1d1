import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { configureAgents, host } from "@holdfast/agent";
import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { Type } from "typebox";
import { z } from "zod";

const input = z.object({ order: z.string() });
/** An Agent for which a user is shipped, and operations that are no other workflow's. */
const hotel = defineAgent("inventory", {
  hold: { input, output: z.null(), undo: "drop" },
  bill: { input, output: z.null(), undo: "repay" },
});

/** Patient enough for Schedulers that are killed each second. */
const limits = {
  startWithin: "2s",
  completeWithin: "2s",
  retry: { failures: 200, backoff: "100ms", max: "500ms" },
} as const;

/** How long the tasks of each workflow wait, in seconds. */
export const rests = [1, 2, 3, 4, 5] as const;

/** Two calls, and a wait between them. */
export const restingFor = (seconds: number) =>
  defineWorkflow(`resting-${seconds}.v1`, input, ({ order }, step) => {
    step("hold", { call: hotel.hold({ order }), ...limits });
    step.sleep("rest", { for: `${seconds}s` });
    step("bill", { call: hotel.bill({ order }), ...limits });
  }).definition;

/** The effects that last, each as its operation and its task. */
export const readEffects = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).toSorted();

/** What AGENT_MODULES loads. The service is a folder with a file for each effect. */
export const agents = configureAgents(Type.Object({ LEDGER: Type.String() }), ({ LEDGER }) => {
  const fileOf = (operation: string, taskId: string) => join(LEDGER, `${operation} ${taskId}`);
  const make =
    (operation: string) =>
    async (_: unknown, { taskId }: { taskId: string }) => {
      await mkdir(LEDGER, { recursive: true });
      await writeFile(fileOf(operation, taskId), "");
      return null;
    };
  const remove =
    (operation: string) =>
    async (_: unknown, { taskId }: { taskId: string }) => {
      await rm(fileOf(operation, taskId), { force: true });
    };
  return host(hotel, {
    hold: make("hold"),
    drop: remove("hold"),
    bill: make("bill"),
    repay: remove("bill"),
  });
});
