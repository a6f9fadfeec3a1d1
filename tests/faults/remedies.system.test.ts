import { fulfilOrder } from "@holdfast/orders";
import { setFaultSettings, withLimits } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./faulty-system.ts";

/** Two failures, then a rest of a second and a half, as often as it takes. */
const patient = withLimits(fulfilOrder.definition, {
  name: "fulfil-order-patiently.v1",
  limits: {
    // It fails by errors, and never by these.
    startWithin: 10_000,
    completeWithin: 10_000,
    retry: { failures: 2, backoff: 50, max: 100 },
    coolDown: { wait: 1_500, times: null },
  },
});

/**
 * Six seconds for the whole order, in which the goods are reserved on a slow machine, too; each
 * step would wait far longer.
 */
const limited = {
  ...withLimits(fulfilOrder.definition, {
    name: "fulfil-order-soon.v1",
    limits: {
      startWithin: 1_000,
      completeWithin: 1_000,
      retry: { failures: 2, backoff: 50, max: 100 },
      coolDown: { wait: 60_000, times: null },
    },
  }),
  completeWithin: 6_000,
};

test("an order whose own limit passes while a step cools down is undone", async () => {
  await using faulty = await startFaultySystem();
  await setFaultSettings(faulty.system, "payments", { errorRate: 1 });
  const [id] = await faulty.submit(["good"], limited);
  // The goods are reserved by then, and must be released.
  expect(await faulty.verdict([id])).toEqual(allRight({ processed: 0, undone: 1 }));
  const [task] = await faulty.query("select goal, fault_code from state.tasks");
  expect(task).toEqual({ goal: "undo", fault_code: "task.expired" });
  const undone = await faulty.query(
    "select name from state.steps where kind = 'undo' and process_state = 'processed'",
  );
  expect(undone).toEqual([{ name: "reserve:undo" }]);
});

test("a step that keeps failing cools down for an extended period, and the attempt after it decides", async () => {
  await using faulty = await startFaultySystem();
  await setFaultSettings(faulty.system, "inventory", { errorRate: 1 });
  const [id] = await faulty.submit(["good"], patient);
  const actions = async () =>
    (
      await faulty.query<{ action: string; at: Date }>(
        "select action, at from state.events where step = 'reserve' order by id",
      )
    ).filter(({ action }) => ["retry", "coolDown", "claim"].includes(action));
  await until(async () => (await actions()).some(({ action }) => action === "coolDown"));
  await setFaultSettings(faulty.system, "inventory", {});
  expect(await faulty.verdict([id])).toEqual(allRight({ processed: 1, undone: 0 }));

  const moves = await actions();
  expect(moves.slice(0, 4).map(({ action }) => action)).toEqual([
    "claim",
    "retry",
    "claim",
    "coolDown",
  ]);
  const rested = moves.findIndex(({ action }) => action === "coolDown");
  const [coolDown, probe] = moves.slice(rested, rested + 2);
  expect(probe?.action).toBe("claim");
  expect(Number(probe?.at) - Number(coolDown?.at)).toBeGreaterThanOrEqual(1_400);
  const [step] = await faulty.query("select failure_count from state.steps where name = 'reserve'");
  expect(step).toEqual({ failure_count: 0 });
});
