import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type TestStore, workflowOf } from "../../test/fixtures.ts";
import { runCommand } from "../../test/run-command.ts";
import { type AskedSystem, openAskedSystem } from "../../test/why.ts";

let system: AskedSystem;
let store: TestStore;
beforeAll(async () => {
  system = await openAskedSystem();
  ({ store } = system);
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
});

beforeEach(() =>
  store.query("truncate state.tasks, state.steps, state.events, state.pauses, state.agents"),
);

describe("a step is delayed", () => {
  test("after a failure", async () => {
    const taskId = await store.submit();
    await store.report(await store.claim(taskId), { code: "inventory.busy" });
    expect(await system.why(taskId)).toMatch(
      /which backs off until .* having failed 1 of 3 times \(inventory\.busy, said by the remote service\)\./,
    );
  });

  test("after too many failures", async () => {
    const coolDown = { wait: 600_000, times: null };
    const retry = { failures: 1, backoff: 1, max: 1 };
    await store.store.registerWorkflow(
      workflowOf("cooling.v1", [{ name: "cool", agent: "inventory", coolDown, retry }]),
    );
    const taskId = await store.submit("cooling.v1");
    await store.report(await store.claim(taskId));
    expect(await system.why(taskId)).toMatch(
      /which cools down until .* \(in 10 min\), having failed 1 of 1/,
    );
  });

  test("after it was requeued", async () => {
    const taskId = await store.submit();
    await store.report(await store.claim(taskId), { attempted: false, retryAfter: 60_000 });
    expect(await system.why(taskId)).toContain("which was requeued 1 time in a row (test.failed)");
  });
});

describe("a step is processing", () => {
  test("locked by a Scheduler, with a lease", async () => {
    const taskId = await store.submit();
    const claim = await store.claim(taskId);
    expect(await system.why(taskId)).toMatch(
      /claimed by scheduler-1 since .* \(attempt 1, 0 of 3 failures counted\): the broker.s confirm is not recorded yet.* lease until .* \(in 3\d s\)\./,
    );
    await store.store.confirmRequests([claim]);
    expect(await system.why(taskId)).toContain("the broker has the request, lease until");
  });

  test("longer than its complete-by time", async () => {
    const taskId = await store.submit();
    await store.claim(taskId);
    await store.query(
      "update state.steps set complete_by = now() - interval '3 s' where locked_by is not null",
    );
    expect(await system.why(taskId)).toMatch(
      /whose time was over at .* \(\d+ s ago\)\. No Supervisor runs: .* Start a Supervisor\./,
    );
    await store.query(
      "insert into state.instances (service, instance, version) values ('supervisor', 'supervisor-1', '0.1.0')",
    );
    expect(await system.why(taskId)).toMatch(
      /whose time was over at .* \(\d+ s ago\): the Supervisor/,
    );
  });

  test("whose silence says nothing while no probe comes through", async () => {
    const taskId = await store.submit();
    await store.claim(taskId);
    await store.query(
      "update state.steps set complete_by = now() - interval '3 s' where locked_by is not null",
    );
    await store.query(
      `insert into state.reply_paths (queue, asked_at, silent_since, trouble)
       values ('scheduler.replies', now(), now() - interval '3 s', 'the broker did not confirm it')`,
    );
    expect(await system.why(taskId)).toMatch(
      /Whether a reply could have arrived is not known since .* \(of the last probe to scheduler\.replies: the broker did not confirm it\), so its silence is no failure: it waits until a probe comes through, however long that takes\./,
    );
    await store.query("delete from state.reply_paths");
  });
});

/** Its charge was declined. */
const undoing = async () => {
  const taskId = await store.submit();
  await store.complete(taskId, 1);
  const declined = { transient: false, effect: "none", code: "payments.declined" } as const;
  await store.report(await store.claim(taskId), declined);
  return taskId;
};

describe("a task", () => {
  test("is being undone", async () => {
    const taskId = await undoing();
    await store.claim(taskId);
    const said = await system.why(taskId);
    expect(said).toContain("It waits for the undo of step reserve of Agent inventory, claimed by");
    expect(said).toContain(
      "It is being undone because of payments.declined, said by the remote service, at step charge of Agent payments.",
    );
  });

  test("was undone", async () => {
    const taskId = await undoing();
    await store.complete(taskId, 1);
    expect(await system.why(taskId)).toMatch(
      /It was undone at .*, because of payments\.declined, said by the remote service, at step/,
    );
  });

  test("halted while it was undone", async () => {
    const taskId = await undoing();
    await store.report(await store.claim(taskId), { transient: false, code: "inventory.gone" });
    expect(await system.why(taskId)).toContain(
      "It halted with inventory.gone, said by the remote service, at the undo of step reserve of Agent inventory: resubmit or resolve it",
    );
  });

  test("was processed", async () => {
    const taskId = await store.submit();
    await store.complete(taskId, 2);
    expect(await system.why(taskId)).toMatch(/\(shopping\.v1, processed\)\nIt was processed at /);
  });

  test("that the store does not know is reported as unknown", async () => {
    const env = { STATE_STORE_URL: store.url };
    const id = "00000000-0000-7000-8000-000000000000";
    expect(await runCommand(["why", id, "--direct"], env)).toMatchObject({
      exitCode: 3,
      stderr: `There is no task ${id} in this state store (task.unknown)\n`,
    });
  });

  test("is explained without a broker as well, and as JSON", async () => {
    const taskId = await store.submit();
    const env = { STATE_STORE_URL: store.url };
    const { stdout } = await runCommand(["why", taskId, "--direct"], env);
    expect(stdout).toContain("The broker was not checked: set BROKER_URL.");
    const asJson = await runCommand(["why", taskId, "--json", "--direct"], env);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      taskId,
      state: "pending",
      sentence: expect.stringContaining("It waits for step reserve"),
    });
  });
});
