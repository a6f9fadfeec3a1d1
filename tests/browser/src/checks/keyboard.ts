import { operatorToken, setFaultSettings } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { drawn } from "../bench.ts";
import { halting } from "../system/workflows.ts";

/** What has the focus, and whether one sees that it has. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const it = document.activeElement;
    if (!(it instanceof HTMLElement || it instanceof SVGElement)) return null;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(it);
    return {
      text: it.getAttribute("aria-label") ?? it.textContent,
      inDialog: it.closest("dialog") !== null,
      isBody: it === document.body,
      isVisible:
        (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) || boxShadow !== "none",
    };
  });

/** Presses Tab until this has the focus. Each stop on the way must be seen. */
async function tabTo(page: Page, text: RegExp): Promise<void> {
  for (let stops = 0; stops < 80; stops += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (now === null || now.isBody) continue;
    expect(now).toMatchObject({ isVisible: true });
    if (text.test(now.text)) return;
  }
  throw new Error(`No Tab leads to ${text}.`);
}

/** Goes from the start page to a repaired task, without a mouse. */
export async function repairByKeys({ at, browser }: Bench): Promise<void> {
  await setFaultSettings(at.system, "notifications", {});
  await setFaultSettings(at.system, "shipping", { errorRate: 1 });
  const id = await at.order(halting.name, "good", 60);
  await at.reaches(id, "halted");
  await setFaultSettings(at.system, "shipping", {});
  const { page, context, complaints } = await browser.open({ token: null });
  await using _ = { [Symbol.asyncDispose]: () => context.close() };
  const { keyboard } = page;
  await page.goto(`${at.origin}/console/`);
  await page.getByRole("heading", { name: "Who are you?" }).waitFor();
  await page.getByLabel("Your name").focus();
  await keyboard.type("grace@example.com");
  await keyboard.press("Tab");
  await keyboard.type(operatorToken);
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Throughput" }).waitFor();

  await keyboard.press("g");
  await keyboard.press("t");
  await page.getByRole("table", { name: "Tasks" }).waitFor();
  await drawn(page);
  await keyboard.press("j");
  await keyboard.press("Enter");
  await page.waitForURL(`**/tasks/${id}*`);
  await drawn(page);
  // Until the page knows that the step has failed, the button is there as well, and says why it
  // does nothing.
  await page.getByRole("button", { name: "Resubmit …", exact: true }).waitFor();
  await tabTo(page, /^Resubmit …$/);

  await keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  expect(await dialog.getByLabel("Reason").evaluate((box) => box === document.activeElement)).toBe(
    true,
  );
  await keepsTheFocus(page);
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  expect(await focused(page)).toMatchObject({ text: "Resubmit …", isVisible: true });

  await keyboard.press("Enter");
  await dialog.waitFor();
  await keyboard.type("the carrier is back");
  await keyboard.press("Enter");
  await dialog.getByText("The service accepted 1 of 1.").waitFor();
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await at.reaches(id, "processed");
  await page.locator(".task-title").getByText("Processed", { exact: true }).waitFor();
  expect(await focused(page)).toMatchObject({ isBody: false });
  // The browser itself notes that the service wanted a token.
  expect(complaints.filter((one) => !one.includes("status of 401"))).toEqual([]);
}

/** Tab goes round in the dialog, and through the browser's own controls. */
async function keepsTheFocus(page: Page): Promise<void> {
  for (let stops = 0; stops < 16; stops += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    expect(now?.isBody === true || now?.inDialog === true).toBe(true);
  }
}
