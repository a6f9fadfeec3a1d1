import { expect } from "@jest/globals";
import type { Bench } from "../bench.ts";
import { echoing } from "../system/echo-agent.ts";
import { unexpected } from "./refusals.ts";

/**
 * The store is away, the network is away, the service is away: the page says so, and goes on by
 * itself.
 */
export async function surviveOutages({ at, show }: Bench): Promise<void> {
  await using shown = await show("/tasks");
  const { page, context } = shown;
  const banner = page.getByText(/Connection lost since/);
  const live = page.locator(".live-live");
  const rows = page.getByRole("table", { name: "Tasks" }).getByRole("row");
  const newest = rows.nth(1);
  const outages = {
    store: [() => at.storeLink.takeDown(), () => at.storeLink.heal()],
    network: [() => context.setOffline(true), () => context.setOffline(false)],
    service: [
      async () => {
        const [one] = at.system.running("operations");
        one?.signal("SIGKILL");
        await one?.exited;
      },
      () => at.system.start("operations"),
    ],
  } as const;
  for (const [begin, end] of Object.values(outages)) {
    await live.waitFor();
    await begin();
    await banner.waitFor();
    // What was read stays, with the instant from which it is.
    expect(await rows.count()).toBeGreaterThan(1);
    const [id = ""] = await at.submit(echoing.name, [{ text: "meanwhile", fails: false }]);
    await end();
    await banner.waitFor({ state: "hidden" });
    await newest.getByTitle(id).waitFor();
  }
  expect(unexpected(shown.complaints)).toEqual([]);
}

/**
 * The stream begins late: what came between the list and the stream is in neither, and is asked
 * for.
 */
export async function beginStreamLate({ at, show }: Bench): Promise<void> {
  await using shown = await show("/");
  const { page } = shown;
  const released = Promise.withResolvers<void>();
  await page.route("**/v1/events", async (route) => {
    await released.promise;
    await route.continue();
  });
  await shown.goTo("/tasks");
  const [id = ""] = await at.submit(echoing.name, [{ text: "between", fails: false }]);
  await at.reaches(id, "processed");
  released.resolve();
  await page.getByRole("table", { name: "Tasks" }).getByTitle(id).waitFor();
  expect(unexpected(shown.complaints)).toEqual([]);
}
