import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { callsOf } from "@holdfast/domain";
import { fulfilOrder, type SampleKind } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, takeRequests, until } from "./faulty-system.ts";

test("eight Schedulers and five Supervisors share a thousand steps: one claim and one failure each", async () => {
  await using faulty = await startFaultySystem({
    apart: ["agent"],
    count: { scheduler: 8, supervisor: 5, agent: 0 },
    // So little that no one of them can have them all.
    env: { scheduler: { MAX_IN_FLIGHT: "70" } },
    // However slow the machine is, the Agent receives each request in time, and no step is retried
    // before the Agent that answers is there.
    limits: { startWithin: 10_000, retry: { failures: 100, backoff: 600_000, max: 600_000 } },
  });
  const { system } = faulty;
  const agents = new Set(callsOf(fulfilOrder.definition).map(({ agent }) => agent));
  const silent = await takeRequests(faulty, [...agents]);
  const kinds: readonly SampleKind[] = Array.from({ length: 500 }, () => "good");
  const ids = await faulty.submit(kinds);
  const failed = (count: number) =>
    faulty.query(
      `select 1 from (select count(*) from state.steps where failure_count = ${count}) as found (n)
        where n = 1000`,
    );
  // Two steps of each order begin at once: a thousand limits pass at about the same time.
  await until(async () => (await failed(1)).length === 1);
  const expired = `select task_id, step, count(*) from state.events
    where action = 'retry' and reason = 'step.expired' group by task_id, step`;
  expect(
    await faulty.query(
      `select count(*)::int as steps, max(count)::int as most from (${expired}) as found`,
    ),
  ).toEqual([{ steps: 1_000, most: 1 }]);
  await silent[Symbol.asyncDispose]();
  await system.start("agent");
  const open = "select 1 from state.tasks where finished_at is null limit 1";
  // Steps that this Agent cannot finish within a second are delayed, too, on a slow machine. Steps
  // that a Scheduler has locked are skipped: waiting for them in another order than it could end in
  // a deadlock.
  await until(async () => {
    await faulty.query(
      `update state.steps set not_before = now()
        where (task_id, name) in (select task_id, name from state.steps where process_state = 'pending'
                                     for no key update skip locked)`,
    );
    return (await faulty.query(open)).length === 0;
  }, 500);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 500, undone: 0 }));

  const endings = `select count(*)::int as n from state.events
    where action in ('complete', 'retry', 'requeue', 'coolDown', 'fail') group by task_id, step, attempt`;
  expect(await faulty.query(`select n from (${endings}) as ended where n > 1`)).toEqual([]);
  const claims = `select 1 from state.events where action = 'claim'
    group by task_id, step, attempt having count(*) > 1`;
  expect(await faulty.query(claims)).toEqual([]);
  const schedulers = await faulty.query(
    "select distinct actor from state.events where action = 'claim'",
  );
  expect(schedulers.length).toBeGreaterThan(1);
});

test("a Supervisor that cron starts with --once recovers what is overdue, and ends", async () => {
  await using faulty = await startFaultySystem({
    apart: ["agent"],
    env: { agent: { HOLDFAST_FAILPOINTS: "agent.worked=freeze" } },
  });
  const { system } = faulty;
  await system.running("supervisor")[0]?.[Symbol.asyncDispose]();
  const ids = await faulty.submit(["good"]);
  const overdue =
    "select 1 from state.steps where process_state = 'processing' and complete_by < now()";
  await until(async () => (await faulty.query(overdue)).length > 0);
  const recovered = "select 1 from state.events where action = 'retry' and reason = 'step.expired'";
  // Again, as cron does: a request that waited for its Agent too long is returned and taken anew
  // meanwhile.
  await until(async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@holdfast/source", "services/supervisor/src/main.ts", "--once"],
      { env: system.environmentOf("supervisor") },
    ).catch((error: Error & { stdout: string }) => {
      throw new Error(error.stdout, { cause: error });
    });
    expect(stdout).toContain("stopped");
    return (await faulty.query(recovered)).length > 0;
  });
  // Before the request is delivered to another Agent, which would answer it.
  system.running("agent")[0]?.signal("SIGKILL");
  await system.start("agent", { HOLDFAST_FAILPOINTS: "" });
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});
