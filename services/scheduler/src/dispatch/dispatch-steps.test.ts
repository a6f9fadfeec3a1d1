import { StepRequest } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { claim, dispatching } from "../../test/dispatching.ts";

test("a request carries all that its Agent needs, and its limits", async () => {
  const { dispatch, published, applied } = dispatching();
  const claimed = claim();
  await dispatch([claimed], 400);
  const { taskId, token } = claimed;
  expect(published).toMatchObject([
    {
      exchange: "holdfast.requests",
      routingKey: "payments",
      userId: "scheduler",
      type: "step.request.v1",
      messageId: `${taskId}:charge:2`,
      correlationId: taskId,
      replyTo: "scheduler.replies.1",
      // Half a minute to be begun, of which a tenth of a second has passed since the claim.
      expirationMs: 29_900,
    },
  ]);
  expect(StepRequest.decode(published[0]!.body)).toEqual({
    taskId,
    step: "charge",
    agent: "payments",
    operation: "charge",
    attempt: 2,
    token,
    idempotencyKey: `${taskId}:charge:do`,
    workMs: 5_000,
    completeBy: new Date(1_035_000).toISOString(),
    input: { amount: 30, card: "card-1" },
  });
  expect(applied).toEqual([]);
});

test("unroutable requests are requeued, and no others", async () => {
  const [lost, sent] = [claim(), claim()];
  const { dispatch, held, applied } = dispatching(({ correlationId }) =>
    correlationId === lost.taskId ? "unroutable" : "stored",
  );
  await dispatch([lost, sent], 500);
  expect(applied).toMatchObject([{ taskId: lost.taskId, event: { kind: "neverStarted" } }]);
  expect(held()).toEqual([sent]);
});

test("unconfirmed requests are left to the resend: neither requeued nor confirmed", async () => {
  const { dispatch, held, applied } = dispatching(() => "unknown");
  const claimed = claim();
  await dispatch([claimed], 500);
  expect(applied).toEqual([]);
  expect(held()).toEqual([]);
});

test("of the requests that a blocked broker does not confirm, the log has the first, second, fourth, eighth …", async () => {
  let answer: "unknown" | "stored" = "unknown";
  const { dispatch, warnings } = dispatching(() => answer);
  for (let count = 0; count < 1_000; count += 1) await dispatch([claim()], 500);
  expect(warnings).toEqual(Array.from({ length: 10 }, () => "request not confirmed"));
  answer = "stored";
  await dispatch([claim()], 500);
  answer = "unknown";
  await dispatch([claim()], 500);
  expect(warnings).toHaveLength(11);
});

test("requests are held while they are built, and those that cannot be built until the store has recorded it", async () => {
  const { dispatch, held, heldAt } = dispatching();
  const [unusable, sent] = [claim("lost"), claim()];
  await dispatch([unusable, sent], 500);
  expect(heldAt).toEqual({
    load: [unusable, sent],
    publish: [unusable, sent],
    apply: [unusable, sent],
  });
  expect(held()).toEqual([sent]);
});

test("requests that could not be built because the store is away are no longer held", async () => {
  const { dispatch, held } = dispatching(
    () => "stored",
    {},
    async () => {
      throw new Error("The store is away");
    },
  );
  await expect(dispatch([claim()], 500)).rejects.toThrow("The store is away");
  expect(held()).toEqual([]);
});

test("requests that can no longer be begun in time are requeued unsent", async () => {
  const { dispatch, published, applied } = dispatching();
  await dispatch([claim("charge", { startBy: 1_000_100 })], 400);
  expect(published).toEqual([]);
  expect(applied).toMatchObject([{ event: { kind: "neverStarted" } }]);
});

test("requests are bundled as the Agent allows, but none with a far more urgent one", async () => {
  const { dispatch, published } = dispatching(() => "stored", { payments: 7 });
  const urgent = { startBy: 1_001_000 };
  await dispatch([claim(), claim(), claim("charge", urgent)], 500);
  const [a, b, c] = published.map(({ bundle }) => bundle);
  expect(a).toEqual(b);
  expect(c?.key).not.toBe(a?.key);
  expect([a?.most, c?.most]).toEqual([7, 7]);
});

test("the requests of urgent tasks are urgent, and share no message with others", async () => {
  const { dispatch, published } = dispatching();
  await dispatch([claim(), claim("charge", { priority: "urgent" })], 500);
  expect(published.map(({ isUrgent }) => isUrgent)).toEqual([false, true]);
  const [usual, urgent] = published.map(({ bundle }) => bundle?.key);
  expect(urgent).not.toBe(usual);
});

test("requests to an Agent without heartbeats are not bundled", async () => {
  const { dispatch, published } = dispatching();
  await dispatch([claim(), claim()], 500);
  expect(published.map(({ bundle }) => bundle?.most)).toEqual([1, 1]);
});
