import { sampleOrder } from "@holdfast/orders";
import { setFaultSettings } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import { type Bench, drawn } from "../bench.ts";
import type { Watched } from "../open-browser.ts";
import { type Approver, until } from "../system/start-console-system.ts";
import { released } from "../system/workflows.ts";
import { unexpected } from "./refusals.ts";
import { badge } from "./task-actions.ts";

/** An order that waits for its release, and for nothing else. */
export async function unreleasedOrder({ at }: Pick<Bench, "at">, seed: number): Promise<string> {
  await at.store.registerWorkflow(released);
  const [id = ""] = await at.submit(released.name, [sampleOrder({ kind: "good", seed })], {
    submittedBy: "checkout",
  });
  await until(async () => {
    const sql = `select from state.waits where task_id = '${id}' and step = 'release'`;
    return (await at.query(sql)).length === 1;
  });
  return id;
}

/** A tab in which one of the treasury has signed in with the key, at a path of the console. */
async function signedIn(
  { at, browser }: Pick<Bench, "at" | "browser">,
  { who, path }: { readonly who: Approver; readonly path: string },
): Promise<Watched> {
  const watched = await browser.open({ token: null });
  const { page } = watched;
  await page.goto(`${at.origin}/console${path}`);
  await page.getByLabel("Your name").fill(who);
  await page.getByLabel("Token or key").fill(at.keys[who]);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await drawn(page);
  return watched;
}

const tabsOf = (page: Page): Promise<readonly string[]> =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts();

/** What someone says over HTTP, while others look at their pages. */
async function decide(
  { at }: Pick<Bench, "at">,
  { who, id, body }: { readonly who: Approver; readonly id: string; readonly body: object },
): Promise<void> {
  const answer = await fetch(`${at.origin}/v1/tasks/${id}/steps/release/decision`, {
    method: "POST",
    headers: { authorization: `Bearer ${at.keys[who]}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

/**
 * Two of the treasury release an order, one of them while a Scheduler is killed. Another order is
 * rejected while one looks at it, and undone.
 */
export async function decideApprovals(bench: Bench): Promise<void> {
  for (const agent of ["notifications", "shipping"] as const) {
    await setFaultSettings(bench.at.system, agent, {});
  }
  const id = await unreleasedOrder(bench, 60);
  await releaseOrder(bench, id);
  await rejectMeanwhile(bench, await unreleasedOrder(bench, 61));
}

async function releaseOrder(bench: Bench, id: string): Promise<void> {
  const { at } = bench;
  const ada = await signedIn(bench, { who: "ada", path: "/" });
  await using _ada = { [Symbol.asyncDispose]: () => ada.context.close() };
  const { page } = ada;
  // With a key of one's own there is nothing else to see.
  expect((await tabsOf(page)).map((text) => text.split("\n"))).toEqual([["Approvals", "2"]]);
  const row = page.locator(`a[href$="/approvals/${id}/release"]`);
  for (const words of ["customer: ", "treasury · 0 of 2", "2 d 23 h left"]) {
    await row.getByText(words).waitFor();
  }
  await row.click();

  await page.getByText("No one has decided yet.").waitFor();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("Fill this in.").waitFor();
  await page.getByLabel("Cost centre").fill("seventeen");
  await page.getByLabel(/^Channel/).selectOption("bank");
  await page.getByLabel("Urgent").check();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  // The service holds it to the rest of the schema.
  await page.getByText(/^400 /).waitFor();
  await page.getByText("/costCentre", { exact: true }).waitFor();
  await page.getByLabel("Cost centre").fill("C-17");
  await page.getByLabel("Reason").fill("there is room");
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("You have approved it: 1 of 2 have.").waitFor();
  const decisions = page.getByRole("list", { name: "Decisions about release" });
  await decisions.getByText("there is room").waitFor();
  await decisions.getByText('"isUrgent": true').waitFor();
  await page.getByRole("link", { name: "Approvals" }).first().click();
  await page.getByRole("list", { name: "1 approvals" }).waitFor();
  expect(await row.count()).toBe(0);
  await page.getByRole("button", { name: "Also those that I have decided" }).click();
  await row.getByText("treasury · 1 of 2").waitFor();

  const grace = await signedIn(bench, { who: "grace", path: `/approvals/${id}/release` });
  await using _grace = { [Symbol.asyncDispose]: () => grace.context.close() };
  await grace.page.getByLabel("Cost centre").fill("C-18");
  await Promise.all([
    at.killAndRestart("scheduler"),
    grace.page.getByRole("button", { name: "Approve", exact: true }).click(),
  ]);
  await grace.page.getByText("You have approved it: it is decided.").waitFor();
  await at.reaches(id, "processed");
  await grace.page.getByText("Approved", { exact: true }).first().waitFor();

  await using shown = await bench.show(`/tasks/${id}`);
  const card = shown.page.getByRole("region", { name: "Approval release" });
  await card.getByText("2 of 2 of treasury have approved").waitFor();
  await card.getByText("Grace").waitFor();
  expect(await card.getByText('"C-17"').count()).toBe(1);
  expect([...ada.complaints, ...grace.complaints, ...shown.complaints].filter(isOfPage)).toEqual(
    [],
  );
}

/** What is refused is noted by the browser as well. */
const isOfPage = (complaint: string): boolean => unexpected([complaint]).length > 0;

async function rejectMeanwhile(bench: Bench, id: string): Promise<void> {
  await using shown = await bench.show(`/tasks/${id}`);
  await shown.page.getByText(/^waits for treasury to decide until .*: in 2 d 23 h$/).waitFor();
  const end = shown.page.getByRole("button", { name: /^End wait …/ });
  expect(await end.getAttribute("aria-disabled")).toBe("true");
  const card = shown.page.getByRole("region", { name: "Approval release" });
  await card.getByRole("link", { name: "release" }).click();
  await shown.page.getByText("The operators’ token is shared").waitFor();
  expect(await shown.page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);

  const ada = await signedIn(bench, { who: "ada", path: `/approvals/${id}/release` });
  await using _ada = { [Symbol.asyncDispose]: () => ada.context.close() };
  const { page } = ada;
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByText("Say why you reject it.").waitFor();
  await page.getByLabel("Cost centre").fill("C-17");
  const body = { decision: "reject", reason: "the account is new" };
  await page.route("**/decision", async (route) => {
    await decide(bench, { who: "linus", id, body });
    await route.continue();
  });
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText(/^409 /).waitFor();
  await page.getByText("it is rejected. Decisions of: linus@example.com.").waitFor();
  await page.getByText("the account is new").waitFor();
  await page.getByText("Rejected", { exact: true }).first().waitFor();

  await bench.at.reaches(id, "undone");
  await shown.goTo(`/tasks/${id}`);
  await badge(shown, "Undone").waitFor();
  await card.getByText("the account is new").waitFor();
  await card.getByText("linus@example.com").waitFor();
  expect([...ada.complaints, ...shown.complaints].filter(isOfPage)).toEqual([]);
}
