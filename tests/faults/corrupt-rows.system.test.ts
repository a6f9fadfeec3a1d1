import { fulfilOrder } from "@holdfast/orders";
import { withLimits } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./faulty-system.ts";

const spoilt = withLimits(fulfilOrder.definition, {
  name: "fulfil-order-spoilt.v1",
  limits: {
    startWithin: 1_000,
    completeWithin: 1_000,
    retry: { failures: 5, backoff: 100, max: 500 },
  },
});

/**
 * No attempt expires, however slow the machine is. One that does may have had an effect, which
 * would have to be undone; without a readable input no undo can be sent, and the order would wait
 * for an operator instead of ending.
 */
const unhurried = withLimits(fulfilOrder.definition, {
  name: "fulfil-order-unhurried.v1",
  limits: {
    startWithin: 120_000,
    completeWithin: 120_000,
    retry: { failures: 5, backoff: 100, max: 500 },
  },
});

const setDefinition = (definition: object) =>
  `update state.workflows set definition = '${JSON.stringify(definition).replaceAll("'", "''")}'
    where name = '${spoilt.name}'`;

test("rows that were corrupted by hand stop their own orders only, which end once the rows are restored", async () => {
  await using faulty = await startFaultySystem({ apart: ["scheduler"] });
  const [scheduler] = faulty.system.running("scheduler");
  // It has not read the definition yet, as if it had been started afterwards.
  scheduler?.signal("SIGSTOP");
  const waiting = await faulty.submit(["good", "good", "good"], spoilt);
  await faulty.query(setDefinition({ steps: 5 }));
  const [long] = await faulty.submit(["good"], unhurried);
  await faulty.query(
    `update state.task_payloads set input = to_json(repeat('x', 2000000)) where task_id = '${long}'`,
  );
  scheduler?.signal("SIGCONT");

  const others = await faulty.submit(["good", "good", "good"]);
  expect(await faulty.verdict(others)).toEqual(allRight({ processed: 3, undone: 0 }));
  const stateOfLong = () =>
    faulty.query<{ fault: string }>(
      `select fault_code as fault from state.tasks where task_id = '${long}' and finished_at is not null`,
    );
  await until(async () => (await stateOfLong()).length === 1);
  expect(await stateOfLong()).toEqual([{ fault: "step.input_unusable" }]);

  const pauses = () =>
    faulty.query(
      "select name, reason like '%steps must be array%' as says_why from state.pauses where resumed_at is null",
    );
  await until(async () => (await pauses()).length > 0);
  expect(await pauses()).toEqual([{ name: spoilt.name, says_why: true }]);
  const inFlight = await faulty.query(
    "select 1 from state.steps where process_state = 'processing'",
  );
  expect(inFlight).toEqual([]);
  expect(scheduler?.isRunning).toBe(true);

  await faulty.query(setDefinition(spoilt));
  expect(await faulty.verdict(waiting)).toEqual(allRight({ processed: 3, undone: 0 }));
});
