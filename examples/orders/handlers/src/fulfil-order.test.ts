import { PermanentFault } from "@holdfast/agent";
import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import { kill, loseReply, testWorkflow } from "@holdfast/testing";
import { expect, test } from "@jest/globals";
import { memoryPartners } from "../test/memory-partners.ts";

const input = sampleOrder({ kind: "good" });

/** All that a fulfilled order leaves at the partners, each of it once. */
const allDone = [
  "/inventory/reservations",
  "/notifications/confirmations",
  "/payments/assessments",
  "/payments/charges",
  "/shipping/shipments",
];

test("a good order is fulfilled", async () => {
  const { agents, effects } = memoryPartners();
  const run = await testWorkflow(fulfilOrder, agents, { input });
  expect(await run.finished()).toMatchObject({
    state: "processed",
    output: {
      reservationId: "r-1",
      chargeId: "c-1",
      trackingNumber: "t-1",
      notificationId: "n-1",
    },
  });
  expect(run.calls.map(({ step }) => step).toSorted()).toEqual([
    "assess-risk",
    "charge",
    "confirm",
    "reserve",
    "ship",
  ]);
  expect(effects()).toEqual(allDone);
});

test("an order whose card is declined is undone: the goods are released, and no card is charged", async () => {
  const declined = new PermanentFault("payments.declined", "Declined", {
    effect: "none",
  });
  const { agents, effects } = memoryPartners({ refusals: { "/payments/charges": declined } });
  const run = await testWorkflow(fulfilOrder, agents, { input });
  expect(await run.finished()).toMatchObject({
    state: "undone",
    faultCode: "payments.declined",
    steps: {
      "reserve:undo": { state: "processed" },
      ship: { state: "cancelled" },
    },
  });
  expect(effects()).toEqual(["/payments/assessments"]);
});

test("an Agent that is killed after the charge charges again, under the same key", async () => {
  const { agents, effects } = memoryPartners();
  const faults = [kill("payments", { at: "agent.worked", step: "charge" })];
  const run = await testWorkflow(fulfilOrder, agents, { input, faults });
  expect((await run.finished()).state).toBe("processed");
  expect(run.calls.filter(({ step }) => step === "charge")).toHaveLength(2);
  expect(effects()).toEqual(allDone);
});

test("a lost reply costs an attempt, and the parcel is booked once", async () => {
  const { agents, effects } = memoryPartners();
  const run = await testWorkflow(fulfilOrder, agents, { input, faults: [loseReply("ship")] });
  expect(await run.finished()).toMatchObject({
    state: "processed",
    steps: { ship: { attempt: 2 } },
  });
  expect(effects()).toEqual(allDone);
});

test("a mail that cannot be sent for an hour is sent after the outage", async () => {
  let isDown = false;
  const { agents, effects } = memoryPartners({ isDown: () => isDown });
  const run = await testWorkflow(fulfilOrder, agents, {
    input,
    faults: [kill("notifications", { at: "agent.received" })],
  });
  // The carrier has the parcel, and the process that sends mails has died.
  while (run.task.steps["ship"]?.state !== "processed") await run.advance("10ms");
  isDown = true;
  await run.advance("1h");
  expect(run.task).toMatchObject({ state: "processing", steps: { confirm: { state: "pending" } } });
  isDown = false;
  await run.advance("10m");
  expect(run.task.state).toBe("processed");
  expect(effects()).toEqual(allDone);
});
