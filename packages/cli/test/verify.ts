import type { components } from "@holdfast/client";
import type { TestStore } from "./fixtures.ts";
import { runCommand } from "./run-command.ts";

type Found = components["schemas"]["Verification"];

export const verify = ({ url }: TestStore, ...args: readonly string[]) =>
  runCommand(["verify", "--direct", ...args], { STATE_STORE_URL: url });

export async function verifyAsJson(
  store: TestStore,
  ...args: readonly string[]
): Promise<Found & { readonly exitCode: number }> {
  const { stdout, exitCode } = await verify(store, "--json", ...args);
  return { ...(JSON.parse(stdout) as Found), exitCode };
}

/**
 * Ways to submit a task and bring it into a state that a healthy store can have, by that state.
 * Each resolves to its id.
 */
export const taskStates: Readonly<Record<string, (store: TestStore) => Promise<string>>> = {
  submitted: (store) => store.submit(),
  claimed: async (store) => {
    const taskId = await store.submit();
    await store.claim(taskId);
    return taskId;
  },
  "half done": async (store) => {
    const taskId = await store.submit();
    await store.complete(taskId, 1);
    return taskId;
  },
  processed: async (store) => {
    const taskId = await store.submit();
    await store.complete(taskId, 2);
    return taskId;
  },
  "being undone": beginUndo,
  undone: async (store) => {
    const taskId = await beginUndo(store);
    await store.complete(taskId, 1);
    return taskId;
  },
  halted: async (store) => {
    const taskId = await beginUndo(store);
    await store.report(await store.claim(taskId), { transient: false });
    return taskId;
  },
};

async function beginUndo(store: TestStore): Promise<string> {
  const taskId = await store.submit();
  await store.complete(taskId, 1);
  await store.report(await store.claim(taskId), { transient: false, effect: "none" });
  return taskId;
}

/** Changes rows past every trigger, as only a superuser can. */
export const byHand = (store: TestStore, sql: string) =>
  store.query(`set session_replication_role = replica; ${sql}; reset session_replication_role`);
