import { sampleOrder } from "@holdfast/orders";
import { setFaultSettings } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Bench } from "../bench.ts";
import { quick } from "../system/workflows.ts";
import { act } from "./act.ts";

const actor = "ada@example.com";

/** An Agent is paused and resumed: its steps wait meanwhile, and the page says who did it. */
export async function pauseAgent({ at, show }: Bench): Promise<void> {
  await setFaultSettings(at.system, "notifications", {});
  await using shown = await show("/agents");
  const { page, complaints } = shown;
  const row = page
    .getByRole("region", { name: "Agents", exact: true })
    .getByRole("row")
    .filter({ hasText: "inventory" });
  await act({ page, within: row, verb: "Pause", reason: "stocktaking" });
  await row.getByText("Paused").waitFor();
  const pauses = page.getByRole("region", { name: "Pauses", exact: true }).getByRole("row");
  const pause = pauses.filter({ hasText: "inventory" }).filter({ hasText: actor }).first();
  expect(await pause.textContent()).toContain("stocktaking");
  const id = await at.order(quick.name, "good", 30);
  await at.killAndRestart("scheduler");
  const [step] = await at.query(
    `select process_state as state from state.steps where task_id = '${id}' and name = 'reserve'`,
  );
  expect(step).toEqual({ state: "pending" });
  await act({ page, within: row, verb: "Resume", reason: "all is counted" });
  await at.reaches(id, "processed");
  await pauses.filter({ hasText: "all is counted" }).first().waitFor();
  expect(complaints).toEqual([]);
}

/** A remote service is held and released: its steps wait meanwhile. */
export async function holdRemote({ at, show }: Bench): Promise<void> {
  await setFaultSettings(at.system, "notifications", {});
  await using shown = await show("/agents");
  const { page, complaints } = shown;
  const row = page
    .getByRole("region", { name: "Circuit breakers", exact: true })
    .getByRole("row")
    .filter({ hasText: "payments" });
  await act({ page, within: row, verb: "Hold", reason: "maintenance of the bank" });
  await row.getByText("Held", { exact: true }).waitFor();
  expect(await row.textContent()).toContain(`${actor}: maintenance of the bank`);
  const id = await at.order(quick.name, "good", 31);
  await at.killAndRestart("agent");
  await act({ page, within: row, verb: "Release", reason: "the bank is back" });
  await at.reaches(id, "processed");
  await row.getByText("Closed", { exact: true }).waitFor();
  expect(complaints).toEqual([]);
}

/**
 * A workflow is retired, takes no tasks then, also of a submission that starts anew, and is
 * reinstated.
 */
export async function retireWorkflow({ at, show }: Bench): Promise<void> {
  await using shown = await show(`/workflows/${quick.name}`);
  const { page, complaints } = shown;
  await act({ page, verb: "Retire", reason: "there is a newer one" });
  await page.getByText(`${actor}: there is a newer one`).waitFor();
  await at.killAndRestart("submission");
  const answer = await fetch(`${at.system.submissionUrl}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workflow: quick.name, input: sampleOrder({ kind: "good" }) }),
  });
  expect(await answer.json()).toMatchObject({ code: "workflow.retired" });
  await act({ page, verb: "Reinstate", reason: "the newer one is wrong" });
  await page.getByText(`${actor}: there is a newer one`).waitFor({ state: "hidden" });
  expect(complaints).toEqual([]);
}
