import { replyQueue } from "@holdfast/contracts";
import { openStateStore } from "@holdfast/state-store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type OperatedBroker, openTestBroker, readQueues } from "../../test/broker.ts";
import { openTestStore, type TestStore, workflowOf } from "../../test/fixtures.ts";
import { runCommand } from "../run-command.ts";

const agents = ["inventory", "payments"];

let store: TestStore;
let operated: OperatedBroker;
let services: AsyncDisposable;
beforeAll(async () => {
  store = await openTestStore();
  operated = await openTestBroker(agents);
  services = await operated.listen();
  await operated.heard(readQueues(agents));
});
afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await operated[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});
beforeEach(() =>
  store.query("truncate state.tasks, state.steps, state.events, state.pauses, state.agents"),
);

async function why(taskId: string): Promise<string> {
  const env = { STATE_STORE_URL: store.url, BROKER_URL: operated.broker.url };
  const { stdout, stderr, exitCode } = await runCommand(["why", taskId], env);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return stdout;
}

const because = { actor: "ann", reason: "stock-taking" };

describe("a step that is due waits", () => {
  test("for its turn", async () => {
    const [, taskId] = [await store.submit(), await store.submit()];
    expect(await why(taskId)).toMatch(
      /^.*\(shopping\.v1, pending\)\nIt waits for step reserve of Agent inventory, which is due since .*with 0 of its Agent in flight\. It is in the band normal: 1 is due before it \(normal 1\)\.\n {2}It waits with step charge of Agent payments for what comes before: reserve \(pending\)\.\n$/,
    );
  });

  test("for an Agent that is paused", async () => {
    const taskId = await store.submit();
    await store.store.pause({ kind: "agent", name: "inventory", ...because });
    expect(await why(taskId)).toMatch(/Agent is paused by ann since .* because: stock-taking\./);
  });

  test("for its workflow, which is paused, also once the step is parked", async () => {
    const taskId = await store.submit();
    await store.store.pause({ kind: "workflow", name: "shopping.v1", ...because });
    const paused = "the workflow shopping.v1 is paused by ann";
    expect(await why(taskId)).toContain(paused);
    await store.query(
      "update state.steps set rank = null, not_before = 'infinity' where rank is not null",
    );
    expect(await why(taskId)).toContain(paused);
    await store.store.resume({ kind: "workflow", name: "shopping.v1", ...because });
    expect(await why(taskId)).toContain("was paused until a moment ago");
  });

  test("for its task, which is paused", async () => {
    const taskId = await store.submit();
    await store.store.applyEvents([{ taskId, event: { kind: "paused" } }], {
      actor: "ann",
    });
    expect(await why(taskId)).toContain("It is paused by ann since");
  });

  test("for its definition, which cannot be used, to be restored", async () => {
    const other = workflowOf("spoilt.v1", [{ name: "reserve", agent: "inventory" }]);
    await store.store.registerWorkflow(other);
    const taskId = await store.submit("spoilt.v1");
    await store.query("update state.workflows set definition = '[]' where name = 'spoilt.v1'");
    const claims = await store.store.claimDueSteps({
      lockedBy: "scheduler-1",
      capacity: [{ lane: "inventory", slots: 500 }],
      relayAfter: 60_000,
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
    const sentence = await why(taskId);
    expect(sentence).toContain("the workflow spoilt.v1 is paused by holdfast (unusable)");
    expect(sentence).toContain("restore it; see holdfast verify");
  });

  test("for an Agent whose breakers are open, all of them", async () => {
    const taskId = await store.submit();
    const beat = { agent: "inventory", capacity: 1, inFlight: 0 };
    await store.store.recordHeartbeats([
      { ...beat, instance: "a", breaker: "open", openForMs: 60_000 },
    ]);
    expect(await why(taskId)).toContain("the breaker of every instance of the Agent is open until");
    await store.store.recordHeartbeats([
      { ...beat, instance: "b", breaker: "closed", openForMs: 0 },
    ]);
    expect(await why(taskId)).toContain("a Scheduler claims it when its turn comes");
  });

  test("for a slot of a full in-flight limit", async () => {
    await Promise.all(Array.from({ length: 200 }, () => store.submit()));
    const capacity = [{ lane: "inventory", slots: 200 }];
    await store.store.claimDueSteps({ lockedBy: "scheduler-1", capacity, relayAfter: 60_000 });
    expect(await why(await store.submit())).toContain("window is full with 200 steps in flight");
  });

  test("for an Agent that has no queue", async () => {
    await store.store.registerWorkflow(
      workflowOf("shipping.v1", [{ name: "ship", agent: "shipping" }]),
    );
    expect(await why(await store.submit("shipping.v1"))).toContain("the Agent has no queue");
  });

  describe("while a service is missing:", () => {
    let some: AsyncDisposable | null = null;
    const listenTo = async (queues: readonly string[]) => {
      await services[Symbol.asyncDispose]();
      some = await operated.listen(queues);
      await operated.heard(queues);
    };
    afterEach(async () => {
      await some?.[Symbol.asyncDispose]();
      services = await operated.listen();
      await operated.heard(readQueues(agents));
    });

    test("for an Agent", async () => {
      const taskId = await store.submit();
      await listenTo([replyQueue]);
      expect(await why(taskId)).toContain("the Agent has no consumer; start it");
    });

    test("for an Agent, with a request already sent", async () => {
      const taskId = await store.submit();
      await store.claim(taskId);
      await listenTo([replyQueue]);
      expect(await why(taskId)).toContain("no consumer that could take the request; start it");
    });

    test("for a Scheduler", async () => {
      const taskId = await store.submit();
      await listenTo(["agent.inventory"]);
      expect(await why(taskId)).toContain("no Scheduler runs");
    });
  });
});

describe("a step is delayed", () => {
  test("after a failure", async () => {
    const taskId = await store.submit();
    await store.report(await store.claim(taskId), { code: "inventory.busy" });
    expect(await why(taskId)).toMatch(
      /which backs off until .* having failed 1 of 3 times \(inventory\.busy\)\./,
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
    expect(await why(taskId)).toMatch(
      /which cools down until .* \(in 10 min\), having failed 1 of 1/,
    );
  });

  test("after it was requeued", async () => {
    const taskId = await store.submit();
    await store.report(await store.claim(taskId), { attempted: false, retryAfter: 60_000 });
    expect(await why(taskId)).toContain("which was requeued 1 time in a row (test.failed)");
  });
});

describe("a step is processing", () => {
  test("locked by a Scheduler, with a lease", async () => {
    const taskId = await store.submit();
    const claim = await store.claim(taskId);
    expect(await why(taskId)).toMatch(
      /claimed by scheduler-1 since .* \(attempt 1, 0 of 3 failures counted\): the broker.s confirm is not recorded yet.* lease until .* \(in 3\d s\)\./,
    );
    await store.store.markDispatchedSteps([claim]);
    expect(await why(taskId)).toContain("the broker has the request, lease until");
  });

  test("longer than its complete-by time", async () => {
    const taskId = await store.submit();
    await store.claim(taskId);
    await store.query(
      "update state.steps set complete_by = now() - interval '3 s' where locked_by is not null",
    );
    expect(await why(taskId)).toMatch(/whose time was over at .* \(\d+ s ago\): the Supervisor/);
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
    const said = await why(taskId);
    expect(said).toContain("It waits for the undo of step reserve of Agent inventory, claimed by");
    expect(said).toContain(
      "It is being undone because of payments.declined at step charge of Agent payments.",
    );
  });

  test("was undone", async () => {
    const taskId = await undoing();
    await store.complete(taskId, 1);
    expect(await why(taskId)).toMatch(/It was undone at .*, because of payments\.declined at step/);
  });

  test("halted while it was undone", async () => {
    const taskId = await undoing();
    await store.report(await store.claim(taskId), { transient: false, code: "inventory.gone" });
    expect(await why(taskId)).toContain(
      "It halted with inventory.gone at the undo of step reserve of Agent inventory: resubmit or resolve it",
    );
  });

  test("was processed", async () => {
    const taskId = await store.submit();
    await store.complete(taskId, 2);
    expect(await why(taskId)).toMatch(/\(shopping\.v1, processed\)\nIt was processed at /);
  });

  test("that the store does not know is reported as unknown", async () => {
    const env = { STATE_STORE_URL: store.url };
    const id = "00000000-0000-7000-8000-000000000000";
    expect(await runCommand(["why", id], env)).toMatchObject({
      exitCode: 2,
      stderr: `There is no task ${id} in this state store (task.unknown)\n`,
    });
  });

  test("is explained without a broker as well, and as JSON", async () => {
    const taskId = await store.submit();
    const env = { STATE_STORE_URL: store.url };
    const { stdout } = await runCommand(["why", taskId], env);
    expect(stdout).toContain("The broker was not checked: set BROKER_URL.");
    const asJson = await runCommand(["why", taskId, "--json"], env);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      taskId,
      processState: "pending",
      sentence: expect.stringContaining("It waits for step reserve"),
    });
  });
});
