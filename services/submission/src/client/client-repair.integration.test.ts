import { type HoldfastClient, holdfastClient } from "@holdfast/client";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { delayed, halted, haltedUndo } from "../../test/halted-bookings.ts";
import { type OperatedService, openOperated, token } from "../../test/operated.ts";

let operated: OperatedService;
let client: HoldfastClient;
beforeAll(async () => {
  operated = await openOperated();
  const url = await operated.app.listen({ host: "127.0.0.1", port: 0 });
  client = holdfastClient({ url, token, actor: "ann" });
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});

const how = { reason: "the guest called" };

test("a step that failed for good is resubmitted, and one that was done by hand is resolved", async () => {
  const first = await halted(operated);
  expect((await client.result(first.id)).state).toBe("halted");
  expect((await client.tasks.resubmit(first.id, how)).state).toBe("processing");
  const second = await halted(operated);
  const resolved = await client.tasks.resolve(second.id, {
    ...how,
    step: "reserve",
    output: { reservationId: "by-hand" },
  });
  expect(resolved.steps.find(({ name }) => name === "reserve")).toMatchObject({
    processState: "processed",
    output: { reservationId: "by-hand" },
  });
});

test("a step that is delayed is retried, and an undo that failed is repaired", async () => {
  const { id } = await delayed(operated);
  await client.tasks.retry(id, { ...how, step: "reserve" });
  await expect(client.tasks.retry(id, { ...how, step: "reserve" })).rejects.toMatchObject({
    status: 409,
    code: "task.not_delayed",
  });
  const undo = await haltedUndo(operated);
  const resolved = await client.tasks.resolve(undo.id, how);
  expect(resolved.steps.find(({ name }) => name === "reserve:undo")?.processState).toBe(
    "processed",
  );
});
