import { setFaultSettings } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Bench } from "../bench.ts";
import { until } from "../system/start-console-system.ts";
import { cooling } from "../system/workflows.ts";
import { act, historyShows } from "./act.ts";
import { badge } from "./task-actions.ts";

const actor = "ada@example.com";

/** An order that waits for two weeks, and for nothing else. */
async function coolingOrder({ at }: Pick<Bench, "at">, seed: number): Promise<string> {
  const id = await at.order(cooling.name, "good", seed);
  await until(async () => {
    const sql = `select from state.waits where task_id = '${id}' and step = 'cool-off'`;
    return (await at.query(sql)).length === 1;
  });
  return id;
}

/**
 * The wait of a step is drawn with what is left of it, and ended while a Scheduler is killed. That
 * of another task is cut short by its undo.
 */
export async function endWaits(bench: Bench): Promise<void> {
  const { at } = bench;
  for (const agent of ["notifications", "shipping"] as const) {
    await setFaultSettings(at.system, agent, {});
  }
  const id = await coolingOrder(bench, 30);
  await using shown = await bench.show(`/tasks/${id}`);
  const { page } = shown;
  const bar = page.locator(".own-wait");
  await bar.waitFor();
  expect(await page.locator(".own-wait-open").count()).toBe(1);
  // Two weeks take less room than the moment of work before them: idle time is folded, once it is
  // long enough to be idle.
  await until(async () => ((await bar.boundingBox())?.width ?? Number.NaN) < 100);
  await page.getByText(/^waits until .*: in 13 d 23 h$/).waitFor();
  await page
    .getByText(/^It waits until .*: step cool-off\. Nothing is wrong\.$/)
    .first()
    .waitFor();
  // The other tasks that wait for the same step are a click away.
  await page.getByTitle("Tasks that have the same").filter({ hasText: "cool-off" }).click();
  await page.getByText("waits for").filter({ visible: true }).first().waitFor();
  await page
    .getByRole("link", { name: new RegExp(id.slice(-6)) })
    .first()
    .waitFor();
  expect(new URL(page.url()).search).toBe("?awaiting=cool-off");
  await page.goBack();
  await bar.waitFor();
  await Promise.all([
    at.killAndRestart("scheduler"),
    act({ page, verb: "End wait", reason: "the customer waives it" }),
  ]);
  await badge(shown, "Processed").waitFor();
  await historyShows(page, "ended its wait", actor, "the customer waives it");
  // The attempts are read a moment after the task.
  await page.locator(".own-wait-open").waitFor({ state: "detached" });
  expect(await bar.count()).toBe(1);
  expect(await page.getByRole("button", { name: /^End wait/ }).count()).toBe(0);

  const other = await coolingOrder(bench, 31);
  await shown.goTo(`/tasks/${other}`);
  await act({ page, verb: "Cancel", reason: "the customer called" });
  await badge(shown, "Undone").waitFor();
  await page.locator(".lane-undo").nth(1).waitFor();
  await page.locator(".own-wait-open").waitFor({ state: "detached" });
  expect(shown.complaints).toEqual([]);
}
