import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { SampleKind } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./harness.ts";

test("eight Schedulers and five Supervisors share a thousand steps: one claim and one failure each", async () => {
  await using faulty = await startFaultySystem({
    count: { scheduler: 8, supervisor: 5, agent: 2 },
    // So little that no one of them can have them all.
    env: { scheduler: { WINDOW: "20" } },
  });
  const { system } = faulty;
  const frozen = await system.start("agent", { HOLDFAST_FAILPOINTS: "agent.worked=freeze@30" });
  const kinds: readonly SampleKind[] = Array.from({ length: 200 }, () => "good");
  const ids = await faulty.submit(kinds);
  await faulty.said("limit passed", "supervisor");
  frozen.signal("SIGKILL");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 200, undone: 0 }));

  const endings = `select count(*)::int as n from state.events
    where action in ('complete', 'retry', 'putBack', 'coolDown', 'fail') group by task_id, step, attempt`;
  expect(await faulty.query(`select n from (${endings}) as ended where n > 1`)).toEqual([]);
  const [silent] = await faulty.query<{ n: number }>(
    "select count(*)::int as n from state.events where action = 'retry' and reason = 'step.expired'",
  );
  expect(silent?.n).toBeGreaterThan(0);
  const schedulers = await faulty.query(
    "select distinct actor from state.events where action = 'claim'",
  );
  expect(schedulers.length).toBeGreaterThan(1);
}, 120_000);

test("a Supervisor that cron starts with --once recovers what is overdue, and ends", async () => {
  await using faulty = await startFaultySystem({
    env: { agent: { HOLDFAST_FAILPOINTS: "agent.worked=freeze" } },
  });
  const { system } = faulty;
  await system.running("supervisor")[0]?.[Symbol.asyncDispose]();
  const ids = await faulty.submit(["good"]);
  const overdue =
    "select 1 from state.steps where process_state = 'processing' and complete_by < now()";
  await until(async () => (await faulty.query(overdue)).length > 0);
  system.running("agent")[0]?.signal("SIGKILL");
  await system.start("agent", { HOLDFAST_FAILPOINTS: "" });

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@holdfast/source", "services/supervisor/src/main.ts", "--once"],
    { env: system.environmentOf("supervisor") },
  ).catch((error: Error & { stdout: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
  expect(stdout).toContain("stopped");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});
