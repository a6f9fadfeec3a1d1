import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import { testWorkflow } from "@holdfast/testing";
import { describe, expect, test } from "@jest/globals";
import { memoryPartners } from "../test/memory-partners.ts";

const input = sampleOrder({ kind: "good" });
const second = 1_000;
const minute = 60 * second;
/** What the shop promises its customers to survive. */
const outage = 10 * minute;
const steps = fulfilOrder.definition.steps.filter((step) => "agent" in step);
/** The step that waits for good until its mail is sent is no part of this. */
const ending = steps.filter(({ onFailure }) => onFailure === "undo");

type Step = (typeof steps)[number];

/** All attempts and the delays between them, each as long as it can be, in milliseconds. */
function longestRetries({ startWithin, completeWithin, retry }: Step): number {
  const delays = Array.from({ length: retry.failures - 1 }, (_, index) =>
    Math.min(retry.backoff * 2 ** index, retry.max),
  );
  const attempts = retry.failures * (startWithin + completeWithin);
  return attempts + delays.reduce((sum, delay) => sum + delay, 0);
}

const coolDownsOf = ({ coolDown }: Step): number =>
  coolDown === null ? 0 : coolDown.wait * (coolDown.times ?? Number.POSITIVE_INFINITY);

/** An order of which the partner of one path is away, from now on until it is said to be back. */
async function orderDuring(path: string, workflow = fulfilOrder) {
  let isAway = true;
  const { agents, effects } = memoryPartners({ isDown: (asked) => isAway && asked === path });
  const run = await testWorkflow(workflow, agents, { input });
  return { run, effects, end: () => void (isAway = false) };
}

const pathOf: Readonly<Record<string, string>> = {
  reserve: "/inventory/reservations",
  "assess-risk": "/payments/assessments",
  charge: "/payments/charges",
  ship: "/shipping/shipments",
};

describe.each(ending)("an outage of ten minutes that hits the step $name", (step) => {
  const { name, retry } = step;
  const path = pathOf[name] ?? "";

  test("is longer than all retries of the step together, and shorter than its cool-downs", () => {
    expect(longestRetries(step)).toBeLessThan(outage);
    expect(coolDownsOf(step)).toBeGreaterThan(outage);
  });

  test("delays the order, which is fulfilled within minutes after it", async () => {
    const { run, effects, end } = await orderDuring(path);
    await run.advance("10m");
    expect(run.task).toMatchObject({
      state: "processing",
      steps: { [name]: { state: "pending", failureCount: retry.failures } },
    });
    end();
    const attempts = run.calls.filter((call) => call.step === name).length;
    expect(attempts).toBeGreaterThan(retry.failures);
    expect(await run.finished({ within: "3m" })).toMatchObject({ state: "processed" });
    expect(effects().filter((effect) => effect === path)).toEqual([path]);
  });
});

test("an outage that outlasts all cool-downs undoes the order, what may have been shipped included", async () => {
  const { run, effects, end } = await orderDuring("/shipping/shipments");
  await run.advance("20m");
  expect(run.task).toMatchObject({
    state: "undoing",
    steps: { ship: { state: "error" }, "ship:undo": { state: "pending" } },
  });
  end();
  expect(await run.finished({ within: "3m" })).toMatchObject({ state: "undone" });
  expect(effects()).toEqual(["/payments/assessments"]);
});

test("a limit of the whole task ends it in the middle of its cool-downs", async () => {
  const definition = { ...fulfilOrder.definition, completeWithin: 5 * minute };
  const { run, end } = await orderDuring("/shipping/shipments", { ...fulfilOrder, definition });
  await run.advance("4m");
  expect(run.task.state).toBe("processing");
  await run.advance("2m");
  expect(run.task.state).toBe("undoing");
  end();
  expect(await run.finished({ within: "3m" })).toMatchObject({ state: "undone" });
});
