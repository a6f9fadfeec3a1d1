import { operatorToken } from "@holdfast/processes";
import { expect } from "@jest/globals";
import type { Bench } from "../bench.ts";
import { ask } from "./act.ts";
import { badge, waitingOrder } from "./task-actions.ts";

/** Errors that the browser itself notes when the service refuses or is away. */
export const unexpected = (complaints: readonly string[]): readonly string[] =>
  complaints.filter((one) => !/Failed to load resource|net::ERR_/.test(one));

/** What the service refuses is shown as refused, with its reason, and as nothing else. */
export async function showRefusals(bench: Bench): Promise<void> {
  const { at, show } = bench;
  const waiting = await waitingOrder(bench, 50);
  await using shown = await show(`/tasks/${waiting}`);
  const { page } = shown;
  // Another operator was quicker, and the stream that would tell this page of it does not.
  await page.route("**/events*", (route) => route.abort());
  await page.route(`**/v1/tasks/${waiting}/pause`, async (route) => {
    await pause(at.origin, waiting);
    await route.continue();
  });
  const dialog = await ask({ page, verb: "Pause", reason: "wait" });
  await dialog.getByText("The service accepted 0 of 1.").waitFor();
  await dialog.getByText(/^412 /).waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await page.unrouteAll();

  at.storeLink.takeDown();
  // Also for the next test, whatever becomes of this one.
  using _healed = { [Symbol.dispose]: () => at.storeLink.heal() };
  await dialog.getByLabel("Reason").fill("wait");
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await dialog.getByText("The service accepted 0 of 1.").waitFor();
  await dialog.getByText(/^503 /).waitFor();
  at.storeLink.heal();
  await page.getByText("Connection lost").waitFor({ state: "hidden" });
  expect(unexpected(shown.complaints)).toEqual([]);
  await badge(shown, "Paused").waitFor();
}

async function pause(origin: string, id: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${operatorToken}`,
    "content-type": "application/json",
  };
  const task = (await (await fetch(`${origin}/v1/tasks/${id}`, { headers })).json()) as {
    readonly version: number;
  };
  const answer = await fetch(`${origin}/v1/tasks/${id}/pause`, {
    method: "POST",
    headers: { ...headers, "if-match": `"${task.version}"` },
    body: JSON.stringify({ actor: "bob", reason: "first" }),
  });
  expect(answer.status).toBe(200);
}
