import { openLink } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./faulty-system.ts";

test("a Scheduler that alone has lost the store and holds replies costs no step a failure", async () => {
  await using faulty = await startFaultySystem({
    count: { scheduler: 0 },
    // So slow that replies come when it has lost the store.
    env: { partners: { HOLD: "2500ms" } },
    limits: { startWithin: 4_000, completeWithin: 4_000 },
  });
  const { STATE_STORE_URL = "" } = faulty.system.environmentOf("scheduler");
  await using link = await openLink(STATE_STORE_URL);
  await faulty.system.start("scheduler", { STATE_STORE_URL: link.url });
  const ids = await faulty.submit(Array.from({ length: 40 }, () => "good" as const));
  // Silence counts only for requests that the broker is known to have.
  const marked =
    "select 1 from state.steps where process_state = 'processing' and confirmed_at is not null";
  await until(async () => (await faulty.query(marked)).length > 10);
  link.takeDown();
  await faulty.system.start("scheduler");

  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 40, undone: 0 }));
  const ended = `select action, count(*)::int > 0 as "found" from state.events
    where reason = 'step.expired' group by action`;
  expect(await faulty.query(ended)).toEqual([{ action: "requeue", found: true }]);
  expect(await faulty.query("select 1 from state.steps where failure_count > 0")).toEqual([]);
  link.heal();
});
