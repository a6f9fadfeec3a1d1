import { setFaultSettings } from "@holdfast/processes";
import type { Bench, Shown } from "../bench.ts";
import { until } from "../system/start-console-system.ts";
import { halting, quick } from "../system/workflows.ts";

/** Takes a picture under a name. */
export type Take = (shown: Shown, name: string) => Promise<void>;

/** Pixels: a picture must be read in the width of a page, and stay small. */
const size = { width: 1200, height: 740 };
const slow = { latencyMs: { min: 40, max: 160 } };
const partners = ["inventory", "payments", "shipping", "notifications"] as const;

/**
 * An order while it is undone: forward steps with an attempt that failed, and the undos below them.
 */
export async function pictureUndo({ at, show }: Bench, take: Take): Promise<void> {
  const latencies = { inventory: 1_500, payments: 1_200, shipping: 800 };
  for (const [partner, latencyMs] of Object.entries(latencies)) {
    await setFaultSettings(at.system, partner, { latencyMs });
  }
  await setFaultSettings(at.system, "payments", { latencyMs: 1_200, errorRate: 0.4 });
  const id = await at.order(quick.name, "unshippable", 7);
  const undoOf = (step: string) => async () => {
    const where = `task_id = '${id}' and name = '${step}:undo' and process_state = 'processing'`;
    return (await at.query(`select from state.steps where ${where}`)).length === 1;
  };
  await using shown = await show(`/tasks/${id}?step=charge`, size);
  await until(undoOf("charge"));
  await setFaultSettings(at.system, "payments", { latencyMs: 1_200 });
  await until(undoOf("reserve"));
  await shown.page.locator(".task-title").getByText("Undoing").waitFor();
  await shown.page.locator(".lane-undo").nth(1).waitFor();
  await shown.page.locator(".why-line").getByText("reserve").waitFor();
  await take(shown, "task-being-undone");
  await at.reaches(id, "undone");
}

/**
 * The carrier fails, its breaker opens, orders halt; then the carrier is back, and they are
 * repaired.
 */
export async function pictureIncident({ at, show }: Bench, take: Take): Promise<void> {
  const { system } = at;
  for (const partner of partners) await setFaultSettings(system, partner, slow);
  const ids = await submitOrders(at, quick.name, 80);
  for (const id of ids) await at.reaches(id, "processed");
  await using shown = await show("/", size);
  const { page } = shown;

  await setFaultSettings(system, "shipping", { ...slow, errorRate: 1 });
  const orders = await submitOrders(at, halting.name, 30);
  await until(async () => {
    const halted = "select from state.tasks where process_state = 'halted'";
    return (await at.query(halted)).length >= 12;
  });
  await page.getByText(/tasks have halted/).waitFor();
  await take(shown, "overview-in-an-incident");

  await shown.goTo("/failures");
  // The history is counted every few seconds.
  const head = page.locator(".group-head").filter({ hasText: halting.name }).first();
  await head.click();
  await page.locator(".group-body").waitFor();
  await take(shown, "failures");

  const [halted = ""] = orders;
  await shown.goTo(`/tasks/${halted}`);
  await page.locator(".why-line").waitFor();
  await take(shown, "halted-task");

  await setFaultSettings(system, "shipping", slow);
  // Otherwise the next probe may be a minute away.
  await at.store.closeBreaker({ service: "shipping", actor: "ada", reason: "The carrier is back" });
  await shown.goTo("/failures");
  if ((await page.locator(".group-body").count()) === 0) await head.click();
  await page.getByRole("button", { name: /^Resubmit \d/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Dry run:").waitFor();
  await dialog.getByLabel("Reason").fill("The carrier is back: incident 4711");
  await take(shown, "bulk-dry-run");
  await dialog.getByRole("button", { name: /^Resubmit \d+$/ }).click();
  await page.getByText(/All \d+ tasks succeeded/).waitFor();
  await take(shown, "bulk-verified");
}

async function submitOrders(
  at: Bench["at"],
  workflow: string,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let seed = 0; seed < count; seed += 1) ids.push(await at.order(workflow, "good", seed));
  return ids;
}
