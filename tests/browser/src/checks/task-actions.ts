import { setFaultSettings } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Bench, Shown } from "../bench.ts";
import { until } from "../system/start-console-system.ts";
import { halting, patient } from "../system/workflows.ts";
import { act, historyShows } from "./act.ts";

const actor = "ada@example.com";

/** The word for a state, beside the name of the task. */
export const badge = ({ page }: Pick<Shown, "page">, word: string) =>
  page.locator(".task-title").getByText(word, { exact: true });

/** An order whose last step waits for an hour, because the mail service is down. */
export async function waitingOrder({ at }: Bench, seed: number): Promise<string> {
  await setFaultSettings(at.system, "notifications", { errorRate: 1 });
  const id = await at.order(patient.name, "good", seed);
  await until(async () => {
    const waits = `task_id = '${id}' and name = 'confirm' and not_before > now() + interval '1 min'`;
    return (await at.query(`select from state.steps where ${waits}`)).length === 1;
  });
  return id;
}

/** Pause, resume and retry, each while a service is killed and started again. */
export async function pauseResumeRetry(bench: Bench): Promise<void> {
  const { at } = bench;
  const id = await waitingOrder(bench, 10);
  await using shown = await bench.show(`/tasks/${id}`);
  const { page } = shown;
  await Promise.all([
    at.killAndRestart("scheduler"),
    act({ page, verb: "Pause", reason: "the mail service moves" }),
  ]);
  const paused = badge(shown, "Paused");
  await paused.waitFor();
  expect(await page.locator(".task-title [title*='the mail service moves']").count()).toBe(1);
  await historyShows(page, "pause", actor, "the mail service moves");
  // What does not apply now stays in its place, and says why.
  const retry = page.getByRole("button", { name: /^Retry now …/ });
  expect(await retry.getAttribute("aria-disabled")).toBe("true");
  expect(await retry.getAttribute("title")).not.toBe("");
  await Promise.all([
    at.killAndRestart("agent"),
    act({ page, verb: "Resume", reason: "the mail service has moved" }),
  ]);
  await paused.waitFor({ state: "hidden" });
  await historyShows(page, "resume", actor, "the mail service has moved");

  const other = await waitingOrder(bench, 13);
  await shown.goTo(`/tasks/${other}`);
  await setFaultSettings(at.system, "notifications", {});
  await Promise.all([
    at.killAndRestart("scheduler"),
    act({ page, verb: "Retry now", reason: "no need to wait" }),
  ]);
  await badge(shown, "Processed").waitFor();
  await historyShows(page, actor, "no need to wait");
  expect(shown.complaints).toEqual([]);
}

/** Cancels, each while a service is killed: the undos stand below what they undo. */
export async function cancelTasks(bench: Bench): Promise<void> {
  const { at } = bench;
  for (const [verb, seed, killed] of [
    ["Cancel", 11, "agent"],
    ["Cancel", 12, "scheduler"],
  ] as const) {
    const id = await waitingOrder(bench, seed);
    await using shown = await bench.show(`/tasks/${id}`);
    const { page } = shown;
    await Promise.all([
      at.killAndRestart(killed),
      act({ page, verb, reason: "the customer called" }),
    ]);
    await badge(shown, "Undone").waitFor();
    await historyShows(page, verb.toLowerCase(), actor, "the customer called");
    // The attempts are read a moment after the task.
    const undone = page.locator(".lane-undo");
    await undone.nth(2).waitFor();
    expect(await undone.count()).toBe(3);
    expect(shown.complaints).toEqual([]);
  }
  await setFaultSettings(at.system, "notifications", {});
}

/** A halted order is resubmitted once the carrier is back, and another one is resolved by hand. */
export async function resubmitAndResolve(bench: Bench): Promise<void> {
  const { at } = bench;
  await setFaultSettings(at.system, "notifications", {});
  await setFaultSettings(at.system, "shipping", { errorRate: 1 });
  const resubmitted = await at.order(halting.name, "good", 20);
  await at.reaches(resubmitted, "halted");
  await setFaultSettings(at.system, "shipping", {});
  await using shown = await bench.show(`/tasks/${resubmitted}`);
  const { page } = shown;
  await badge(shown, "Halted").waitFor();
  await Promise.all([
    at.killAndRestart("agent"),
    act({ page, verb: "Resubmit", reason: "the carrier is back" }),
  ]);
  await badge(shown, "Processed").waitFor();
  await historyShows(page, "resubmit", actor, "the carrier is back");

  await setFaultSettings(at.system, "notifications", { errorRate: 1 });
  const resolved = await at.order(halting.name, "good", 21);
  await at.reaches(resolved, "halted");
  await setFaultSettings(at.system, "notifications", {});
  await shown.goTo(`/tasks/${resolved}`);
  const field = '{"notificationId": "by-phone"}';
  await Promise.all([
    at.killAndRestart("scheduler"),
    act({ page, verb: "Resolve", reason: "called instead", field }),
  ]);
  await badge(shown, "Processed").waitFor();
  await historyShows(page, "resolve", actor, "called instead");
  await page.getByLabel("result of the task").getByText("by-phone").waitFor();
  expect(shown.complaints).toEqual([]);
}
