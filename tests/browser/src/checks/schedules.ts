import { sampleOrder } from "@holdfast/orders";
import { operatorToken, setFaultSettings } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { until } from "../system/start-console-system.ts";
import { patient, quick } from "../system/workflows.ts";
import { act } from "./act.ts";

type At = Pick<Bench, "at">;

/** What the service answers to a request about schedules. */
export async function askSchedules(
  { at }: At,
  method: "PUT" | "POST",
  { path, body }: { readonly path: string; readonly body: object },
): Promise<void> {
  const answer = await fetch(`${at.origin}/v1/schedules/${path}`, {
    method,
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect([answer.ok, await answer.text()]).toEqual([true, expect.any(String)]);
}

const input = sampleOrder({ kind: "good", seed: 70 });
const standing = (page: Page, word: string) =>
  page.locator(".page-head").getByText(word, { exact: true });
const partOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/**
 * A schedule is paused, fired by hand while a service is killed, and resumed. Another one is
 * blocked by its last task.
 */
export async function runSchedules(bench: Bench): Promise<void> {
  await setFaultSettings(bench.at.system, "shipping", {});
  await fireByHand(bench);
  await showBlocked(bench);
}

async function fireByHand(bench: Bench): Promise<void> {
  const { at } = bench;
  await setFaultSettings(at.system, "notifications", {});
  const times = { cron: "30 2 * * *", zone: "Europe/Budapest" };
  const body = { ...times, workflow: quick.name, input };
  await askSchedules(bench, "PUT", { path: "settle-orders", body });
  await using shown = await bench.show("/schedules");
  const { page } = shown;
  const row = page.getByRole("row").filter({ hasText: "settle-orders" });
  await row.getByText("each day at 02:30").waitFor();
  await row.getByText(/02:30 in Europe\/Budapest$/).waitFor();
  await row.getByRole("link", { name: "settle-orders" }).click();

  await standing(page, "Fires").waitFor();
  const next = partOf(page, "Next instants").getByRole("listitem");
  await next.first().waitFor();
  expect(await next.count()).toBe(10);
  for (const text of await next.allInnerTexts()) {
    expect(text).toMatch(
      /^\d{4}-\d\d-\d\d 02:30 \+0[12]:00\nin .*, \d{4}-\d\d-\d\d 0[01]:30 here$/,
    );
  }
  await page.getByText("It has not fired yet.").waitFor();
  await act({ page, verb: "Pause", reason: "the bank is closed" });
  await standing(page, "Paused").waitFor();
  await page
    .getByText(/^operator:ada@example\.com paused it at .*: the bank is closed\./)
    .waitFor();
  await page.getByText("It is paused: none of these fires.").waitFor();

  await Promise.all([
    at.killAndRestart("scheduler"),
    act({ page, verb: "Fire now", reason: "the figures were wrong" }),
  ]);
  const fire = partOf(page, "Fires").getByRole("row").filter({ hasText: "the figures were wrong" });
  await fire.getByText("Fired", { exact: true }).waitFor();
  expect(await page.getByRole("list", { name: "The last 1 instants" }).count()).toBe(1);
  const [fired] = await at.query<{ readonly id: string }>(
    "select task_id as id from state.schedule_fires where schedule = 'settle-orders'",
  );
  const id = fired?.id ?? "";
  await at.reaches(id, "processed");
  await fire.getByRole("link").click();
  await page.waitForURL(`**/tasks/${id}`);
  await page.getByRole("link", { name: "settle-orders" }).click();

  await standing(page, "Paused").waitFor();
  await act({ page, verb: "Resume", reason: "it is open again" });
  await standing(page, "Fires").waitFor();
  expect(shown.complaints).toEqual([]);
}

/** The task that it fires waits for an hour, and each minute is skipped. */
async function showBlocked(bench: Bench): Promise<void> {
  const { at } = bench;
  await setFaultSettings(at.system, "notifications", { errorRate: 1 });
  const path = "stuck-orders";
  const times = { cron: "* * * * *", zone: "UTC", catchUp: "all" };
  await askSchedules(bench, "PUT", { path, body: { ...times, workflow: patient.name, input } });
  // As if the minute had just come, and then as if three had while nothing could fire them.
  await comeFrom(bench, path, "0 min");
  await until(async () => {
    const sql = `select from state.schedules join state.tasks on task_id = last_task where id = '${path}'`;
    return (await at.query(sql)).length === 1;
  });
  await comeFrom(bench, path, "3 min");
  await using shown = await bench.show(`/schedules/${path}`);
  const { page } = shown;
  await standing(page, "Blocked").waitFor();
  await page
    .getByText(/^The last [3-9] instants were skipped, since the last task had not ended\./)
    .waitFor();
  await partOf(page, "Fires").getByText("came while the last task had not ended").first().waitFor();
  await page.getByText("every minute").waitFor();
  await act({ page, verb: "Pause", reason: "the mail service is down" });
  await standing(page, "Paused").waitFor();
  expect(shown.complaints).toEqual([]);
}

/** Has a schedule find that its instants of so long have come. */
async function comeFrom({ at }: At, id: string, ago: string): Promise<void> {
  await at.query(
    `update state.schedules
        set next_instant = date_trunc('minute', now()) - interval '${ago}', due_at = now()
      where id = '${id}'`,
  );
}
