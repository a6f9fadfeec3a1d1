import { setFaultSettings } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { until } from "../system/start-console-system.ts";
import { prepaid } from "../system/workflows.ts";
import { act } from "./act.ts";
import { unexpected } from "./refusals.ts";
import { badge } from "./task-actions.ts";

const actor = "ada@example.com";

/** An order that waits for its payment, and for nothing else. */
async function unpaidOrder({ at }: Pick<Bench, "at">, seed: number): Promise<string> {
  const id = await at.order(prepaid.name, "good", seed);
  await until(async () => {
    const sql = `select from state.waits where task_id = '${id}' and step = 'payment'`;
    return (await at.query(sql)).length === 1;
  });
  return id;
}

/** The row of the table of signals that has these words. */
const signalRow = (page: Page, ...words: readonly string[]) =>
  words.reduce(
    (rows, word) => rows.filter({ hasText: word }),
    page.getByRole("region", { name: "Signals of the task" }).getByRole("row"),
  );

/**
 * A signal is sent by hand while a Scheduler is killed, after one that breaks its schema was
 * refused with its place. One that comes for a task that was undone is shown as too late.
 */
export async function sendSignals(bench: Bench): Promise<void> {
  const { at } = bench;
  await at.store.registerWorkflow(prepaid);
  for (const agent of ["notifications", "shipping"] as const) {
    await setFaultSettings(at.system, agent, {});
  }
  const id = await unpaidOrder(bench, 40);
  await using shown = await bench.show(`/tasks/${id}`);
  const { page } = shown;
  await page.getByText(/^waits for signal paid until .*: in 2 d 23 h$/).waitFor();
  await page.getByText("payment, the signal paid, ends").waitFor();
  await page.getByText("No signal was sent to this task.").waitFor();
  expect(await page.locator(".own-wait-open").count()).toBe(1);
  // Later steps need what it carries, so that no operator ends the wait without one.
  const end = page.getByRole("button", { name: /^End wait …/ });
  expect(await end.getAttribute("aria-disabled")).toBe("true");

  await page.getByRole("button", { name: "Send signal …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByLabel("JSON Schema", { exact: true })
    .getByText('"paymentId"')
    .first()
    .waitFor();
  const send = dialog.getByRole("button", { name: "Send signal", exact: true });
  await dialog.getByLabel("Who acts").fill(actor);
  await send.click();
  await dialog.getByText("The service accepted 0 of 1.").waitFor();
  await dialog.getByText(/^400 /).waitFor();
  await dialog.getByText("/paymentId", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await dialog.getByRole("textbox").first().fill('{"paymentId": "P-2207"}');
  await Promise.all([at.killAndRestart("scheduler"), send.click()]);
  await dialog.getByText("The service accepted 1 of 1.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await badge(shown, "Processed").waitFor();
  await signalRow(page, "paid", `operator:${actor}`, "payment", "P-2207").waitFor();
  expect(await page.getByRole("button", { name: /^Send signal/ }).count()).toBe(0);

  const other = await unpaidOrder(bench, 41);
  await shown.goTo(`/tasks/${other}`);
  await act({ page, verb: "Cancel", reason: "the customer called" });
  await badge(shown, "Undone").waitFor();
  const payload = { paymentId: "P-2208" };
  await at.store.sendSignals([
    { taskId: other, workflow: prepaid.name, name: "paid", id: "evt-1", payload, sentBy: "psp" },
  ]);
  await page.reload();
  await signalRow(page, "evt-1", "too late", "P-2208").waitFor();
  expect(unexpected(shown.complaints)).toEqual([]);
}
