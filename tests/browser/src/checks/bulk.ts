import { setFaultSettings } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Bench } from "../bench.ts";
import { until } from "../system/start-console-system.ts";
import { halting, quick } from "../system/workflows.ts";

const count = 4;

/**
 * Goes from the group of failures over dry run and canary to an outcome that is verified, while a
 * Supervisor is killed.
 */
export async function repairInBulk({ at, show }: Bench): Promise<void> {
  await setFaultSettings(at.system, "notifications", {});
  const ids: string[] = [];
  for (let seed = 40; seed < 40 + count; seed += 1) {
    // An order that succeeds before each that fails: the circuit of the Agent stays closed, so that
    // all fail alike.
    await setFaultSettings(at.system, "shipping", {});
    await at.reaches(await at.order(quick.name), "processed");
    await setFaultSettings(at.system, "shipping", { errorRate: 1 });
    const id = await at.order(halting.name, "good", seed);
    ids.push(id);
    await at.reaches(id, "halted");
  }
  await setFaultSettings(at.system, "shipping", {});
  await using shown = await show("/failures");
  const { page, complaints } = shown;
  const group = page.locator(".group").filter({ hasText: `${count} halted` });
  await group.getByRole("button", { name: "halted" }).click();
  await group.getByRole("button", { name: `Resubmit ${count} …` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Dry run: ${count} match, resubmit is allowed for ${count}.`).waitFor();
  const submit = dialog.getByRole("button", { name: `Resubmit ${count}`, exact: true });
  await submit.click();
  const reason = dialog.getByLabel("Reason");
  expect(await reason.evaluate((box: HTMLInputElement) => box.validity.valueMissing)).toBe(true);
  await reason.fill("the carrier is back");
  await submit.click();
  await Promise.all([at.killAndRestart("supervisor"), page.waitForURL("**/failures/bulk/*")]);
  const verdict = page.locator(".verdict");
  await page.getByText(`All ${count} tasks succeeded.`).waitFor();
  expect(await verdict.count()).toBe(1);
  for (const id of ids) await at.reaches(id, "processed");
  expect(await page.locator("main").textContent()).toContain("the carrier is back");
  const items = page.getByRole("region", { name: "Tasks of the operation" });
  await until(async () => (await items.getByText("Succeeded").count()) === count);
  expect(complaints).toEqual([]);
}
