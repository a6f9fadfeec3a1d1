import { expect } from "@jest/globals";
import type { Bench } from "../bench.ts";
import { echoing } from "../system/echo-agent.ts";
import { until } from "../system/start-console-system.ts";

const attempts = 1_000;
const tasks = 100_000;

/**
 * Writes the moves that the Scheduler would have written: two for each attempt, a minute after the
 * other.
 */
const insertMoves = `
  insert into state.events (task_id, step, action, from_state, to_state, attempt, actor, reason, at)
  select task_id, 'say', action, from_state, to_state, number, 'scheduler', reason,
         now() - (${attempts} - number) * interval '1 min' + after
    from new_task
   cross join generate_series(1, ${attempts}) as number
   cross join lateral (values
     ('claim', 'pending', 'processing', null, interval '0'),
     (case number when ${attempts} then 'fail' else 'retry' end, 'processing',
      case number when ${attempts} then 'error' else 'pending' end, 'echo.failed', interval '400 ms'))
     as move (action, from_state, to_state, reason, after)
   order by number, after`;

const insertTask = (id: string): string => `
  create temporary table new_task as select '${id}'::uuid as task_id;
  insert into state.tasks (task_id, workflow, process_state, version, fault_code)
  select task_id, '${echoing.name}', 'halted', 3, 'echo.failed' from new_task;
  insert into state.task_payloads (task_id, input)
  select task_id, '{"text": "again and again", "fails": true}' from new_task;
  insert into state.steps (task_id, name, kind, lane, process_state, attempt, failure_count, admitted,
                           start_within, complete_within, fault_code)
  select task_id, 'say', 'call', 'echo', 'error', ${attempts}, ${attempts}, true, 1000, 1000, 'echo.failed'
    from new_task;
  ${insertMoves}`;

/**
 * A task with a thousand attempts: each can be reached, and the page holds only what is in sight.
 */
export async function showManyAttempts({ at, show }: Bench): Promise<void> {
  const [row] = await at.query<{ readonly id: string }>("select state.new_task_id() as id");
  const id = row?.id ?? "";
  await at.query(insertTask(id));
  await using shown = await show(`/tasks/${id}?step=say&attempt=${attempts}`);
  const { page, complaints } = shown;
  const list = page.getByRole("group", { name: "Attempts, newest first" });
  await list.getByText(`#${attempts}`, { exact: true }).waitFor();
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await list.getByText("#1", { exact: true }).click();
  await page.waitForURL("**attempt=1");
  const timeline = page.getByRole("group", { name: /Attempts over time/ });
  await timeline.waitFor();
  await page.getByRole("button", { name: "Draw it 16 times as wide" }).click();
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  // A row of the list has ten elements, a bar of the timeline four.
  expect(elements).toBeLessThan(6_000);
  expect(complaints).toEqual([]);
}

const insertTasks = `
  set synchronous_commit = off;
  create temporary table new_task as
  select state.new_task_id() as task_id from generate_series(1, ${tasks});
  insert into state.tasks (task_id, workflow, process_state, version, finished_at, correlation_id)
  select task_id, '${echoing.name}', 'processed', 2, now(), 'of a hundred thousand' from new_task;
  insert into state.task_payloads (task_id, input)
  select task_id, '{"text": "x", "fails": false}' from new_task;
  insert into state.steps (task_id, name, kind, lane, process_state, attempt, admitted, start_within,
                           complete_within)
  select task_id, 'say', 'call', 'echo', 'processed', 1, true, 1000, 1000 from new_task;
  insert into state.events (task_id, action, to_state, actor)
  select task_id, 'submit', 'pending', 'test' from new_task;
  drop table new_task;
  analyze state.tasks`;

/**
 * A hundred thousand tasks: scrolled to the end, with as many rows in the page as there are in
 * sight.
 */
export async function showManyTasks({ at, show }: Bench): Promise<void> {
  await at.query(insertTasks);
  await using shown = await show("/tasks?correlationId=of+a+hundred+thousand");
  const { page, complaints } = shown;
  const table = page.getByRole("table", { name: "Tasks" });
  const scroller = page.locator(".rows-scroll");
  const rows = table.getByRole("row");
  let most = 0;
  await until(async () => {
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    most = Math.max(most, await rows.count());
    return (await table.getAttribute("aria-rowcount")) === String(tasks + 1);
  });
  await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await page.locator(`[aria-rowindex="${tasks + 1}"]`).waitFor();
  expect(most).toBeLessThan(80);

  // The filter is in the URL: what one sets is there after a reload.
  await page.getByRole("button", { name: "Halted" }).click();
  await page.getByText("No task matches").waitFor();
  const url = page.url();
  expect(url).toContain("state=halted");
  await page.reload();
  await page.getByText("No task matches").waitFor();
  expect(page.url()).toBe(url);
  await page.getByRole("button", { name: "Clear" }).click();
  await rows.nth(1).waitFor();
  await page.goBack();
  await page.getByText("No task matches").waitFor();
  expect(complaints).toEqual([]);
}
