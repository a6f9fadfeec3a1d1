import { replyQueue } from "@holdfast/contracts";
import { explainTask } from "@holdfast/diagnosis";
import { openInspector, openStateStore } from "@holdfast/state-store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type TestStore, workflowOf } from "../../test/fixtures.ts";
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

const because = { actor: "ann", reason: "stock-taking" };

describe("a step that is due waits", () => {
  test("for its turn", async () => {
    const [, taskId] = [await store.submit(), await store.submit()];
    expect(await system.why(taskId)).toMatch(
      /^.*\(shopping\.v1, pending\)\nIt waits for step reserve of Agent inventory, which is due since .*with 0 of its Agent in flight\. It is in the band normal: 1 is due before it \(normal 1\)\.\n {2}It waits with step charge of Agent payments for what comes before: reserve \(pending\)\.\n {2}shopping\.v1 was activated last at .*\.\n$/,
    );
  });

  test("for an Agent that is paused", async () => {
    const taskId = await store.submit();
    await store.store.pause({ kind: "agent", name: "inventory", ...because });
    expect(await system.why(taskId)).toMatch(
      /Agent inventory is paused by ann since .* because: stock-taking\./,
    );
  });

  test("for its workflow, which is paused, also once the step is parked", async () => {
    const taskId = await store.submit();
    await store.store.pause({ kind: "workflow", name: "shopping.v1", ...because });
    const paused = "The workflow shopping.v1 is paused by ann";
    expect(await system.why(taskId)).toContain(paused);
    await store.query(
      "update state.steps set rank = null, not_before = 'infinity' where rank is not null",
    );
    expect(await system.why(taskId)).toContain(paused);
    await store.store.resume({ kind: "workflow", name: "shopping.v1", ...because });
    expect(await system.why(taskId)).toContain("was paused until a moment ago");
  });

  test("for its task, which is paused", async () => {
    const taskId = await store.submit();
    await store.store.applyEvents([{ taskId, event: { kind: "paused" } }], {
      actor: "ann",
    });
    expect(await system.why(taskId)).toContain("It is paused by ann since");
  });

  test("for its definition, which cannot be used, to be restored", async () => {
    const other = workflowOf("spoilt.v1", [{ name: "reserve", agent: "inventory" }]);
    await store.store.registerWorkflow(other);
    const taskId = await store.submit("spoilt.v1");
    await store.query("update state.workflows set definition = '[]' where name = 'spoilt.v1'");
    const claims = await store.store.claimDueSteps({
      lockedBy: "scheduler-1",
      capacity: [{ lane: "inventory", slots: 500 }],
      resendAfter: 60_000,
    });
    // As a Scheduler that was started since.
    await using scheduler = await openStateStore({
      url: store.url,
      applicationName: "test",
      maxConnections: 2,
    });
    await scheduler.applyEvents(
      claims
        .filter((one) => one.taskId === taskId)
        .map(({ name: step, attempt, token }) => ({
          taskId,
          event: { kind: "neverStarted", step, attempt, token },
        })),
      { actor: "scheduler-2" },
    );
    const sentence = await system.why(taskId);
    expect(sentence).toContain("The workflow spoilt.v1 is paused by holdfast (unusable)");
    expect(sentence).toContain("restore it; see holdfast verify");
  });

  test("for an Agent whose breakers are open, all of them", async () => {
    const taskId = await store.submit();
    const beat = { agent: "inventory", capacity: 1, inFlight: 0 };
    await store.store.recordHeartbeats([
      { ...beat, instance: "a", breaker: "open", openForMs: 60_000 },
    ]);
    expect(await system.why(taskId)).toContain(
      "The breaker of every instance of the Agent inventory is open until",
    );
    await store.store.recordHeartbeats([
      { ...beat, instance: "b", breaker: "closed", openForMs: 0 },
    ]);
    expect(await system.why(taskId)).toContain("a Scheduler claims it when its turn comes");
  });

  test("for a slot of the in-flight limit that its Scheduler has announced", async () => {
    const scheduler = { service: "scheduler", instance: "scheduler-1", version: "0.1.0" } as const;
    await store.store.recordInstance({ ...scheduler, slots: 20 });
    await Promise.all(Array.from({ length: 20 }, () => store.submit()));
    const capacity = [{ lane: "inventory", slots: 20 }];
    await store.store.claimDueSteps({ lockedBy: "scheduler-1", capacity, resendAfter: 60_000 });
    expect(await system.why(await store.submit())).toContain(
      "The Agent inventory has its full 20 steps in flight (MAX_IN_FLIGHT is 20)",
    );
  });

  test("for a slot of an Agent whose instances have few", async () => {
    await Promise.all(Array.from({ length: 4 }, () => store.submit()));
    const health = { inFlight: 0, breaker: "closed", openForMs: 0, everyMs: 1_000 } as const;
    await store.store.recordHeartbeats([
      { ...health, agent: "inventory", instance: "a", capacity: 2 },
    ]);
    const capacity = [{ lane: "inventory", slots: 4 }];
    await store.store.claimDueSteps({ lockedBy: "scheduler-1", capacity, resendAfter: 60_000 });
    expect(await system.why(await store.submit())).toContain(
      "The Agent inventory has its full 4 steps in flight (4 steps for the 2 slots of 1 instance;",
    );
  });

  test("for an Agent that has no queue", async () => {
    await store.store.registerWorkflow(
      workflowOf("shipping.v1", [{ name: "ship", agent: "shipping" }]),
    );
    expect(await system.why(await store.submit("shipping.v1"))).toContain(
      "The Agent shipping has no queue",
    );
  });

  describe("while a service is missing:", () => {
    afterEach(() => system.listenTo());

    test("for an Agent", async () => {
      const taskId = await store.submit();
      await system.listenTo([replyQueue]);
      expect(await system.why(taskId)).toContain(
        "No process serves the Agent inventory. Start the Agent inventory.",
      );
    });

    test("for an Agent, with a request already sent", async () => {
      const taskId = await store.submit();
      await store.claim(taskId);
      await system.listenTo([replyQueue]);
      expect(await system.why(taskId)).toContain(
        "No process serves the Agent inventory. Start the Agent inventory.",
      );
    });

    test("for a Scheduler", async () => {
      const taskId = await store.submit();
      await system.listenTo(["agent.inventory"]);
      expect(await system.why(taskId)).toContain("No Scheduler runs");
    });
  });
});

test("a submission of an application waits for a process of submission, and one that was refused says why", async () => {
  const [row] = await store.query<{ id: string }>(
    `select state.enqueue_submission('{"workflow": "shopping", "input": {}}')::text as id`,
  );
  const { id } = row!;
  expect(await system.why(id)).toMatch(
    /\(shopping\.v1, pending\)\nIt was enqueued by \S+ at .*, and is no task yet\. A process of submission is about to make it one\.\n$/,
  );
  await store.query("update state.inbox set enqueued_at = enqueued_at - interval '20 s'");
  expect(await system.why(id)).toContain("Start a process of submission with ROLE=all");
  await store.store.refuseEnqueued([
    { taskId: id, code: "task.invalid", detail: "/x is missing", errors: [], notification: null },
  ]);
  await using inspector = openInspector({ url: store.url, applicationName: "test" });
  await expect(explainTask({ store: inspector, broker: null }, id)).rejects.toMatchObject({
    code: "task.submission_refused",
    message: expect.stringContaining("/x is missing (task.invalid)"),
  });
});
