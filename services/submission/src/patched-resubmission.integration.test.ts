import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sampleBooking } from "../test/bookings.ts";
import { halted, haltedUndo } from "../test/halted-bookings.ts";
import { asOperator, type OperatedService, openOperated, token } from "../test/operated.ts";

let operated: OperatedService;
beforeAll(async () => {
  operated = await openOperated();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});

const { rooms } = sampleBooking();
const [first, ...others] = rooms;
const nights = { op: "replace", path: "/rooms/0/nights", value: 7 } as const;
const expected = { rooms: [{ ...first, nights: 7 }, ...others] };

async function correctedInput(taskId: string): Promise<unknown> {
  const refs = [{ taskId, name: "reserve" }];
  const values = await operated.store.loadValues({ refs, most: 100_000 });
  return values.get(taskId)?.correctedInputs.get("reserve");
}

const headers = { authorization: `Bearer ${token}` };
const createBulk = (payload: object) =>
  operated.app.inject({
    method: "POST",
    url: "/v1/bulk-operations",
    headers,
    payload: { ...asOperator, action: "resubmit", filter: { state: "halted" }, ...payload },
  });

/** Has the first step of a booking fail for good once more. */
async function failAgain(bookingId: string): Promise<void> {
  const claims = (await operated.claim()).filter(
    ({ taskId, name }) => taskId === bookingId && name === "reserve",
  );
  const events = claims.map(({ taskId, name: step, attempt, token: proof }) => ({
    taskId,
    event: {
      kind: "failed",
      code: "rooms.sold_out",
      transient: false,
      attempted: true,
      effect: "none",
      retryAfter: null,
      step,
      attempt,
      token: proof,
    } as const,
  }));
  await operated.store.applyEvents(events, { actor: "scheduler-1" });
}

test("a step is resubmitted with one place of its input changed, and the others as they were", async () => {
  const booking = await halted(operated);
  const resubmitted = await operated.onBooking(booking, "resubmit", { patch: [nights] });
  expect(resubmitted.statusCode).toBe(200);
  expect(await correctedInput(booking.id)).toEqual(expected);
});

test("a second patch changes what the first one made of the input", async () => {
  const booking = await halted(operated);
  await operated.onBooking(booking, "resubmit", { patch: [nights] });
  await failAgain(booking.id);
  const code = { op: "replace", path: "/rooms/0/code", value: "other" };
  const again = await operated.onBooking(await operated.show(booking.id), "resubmit", {
    patch: [{ ...nights, op: "test" }, code],
  });
  expect(again.statusCode).toBe(200);
  expect(await correctedInput(booking.id)).toEqual({
    rooms: [{ ...first, nights: 7, code: "other" }, ...others],
  });
});

test.each<[string, object, string, RegExp, string | null]>([
  [
    "does not fit",
    { patch: [{ op: "replace", path: "/room", value: 1 }] },
    "task.patch_not_applicable",
    /\/room is not there/,
    "/room",
  ],
  [
    "tests for another value",
    { patch: [{ ...nights, op: "test" }] },
    "task.patch_not_applicable",
    /has another value/,
    "/rooms/0/nights",
  ],
  [
    "breaks the contract",
    { patch: [{ ...nights, value: "seven" }] },
    "request.invalid",
    /rooms\/0\/nights .* would refuse it/,
    null,
  ],
  [
    "makes an input that cannot be stored",
    { patch: [{ ...nights, value: "\u0000" }] },
    "request.invalid",
    /NUL/,
    null,
  ],
  [
    "comes with a whole input",
    { patch: [nights], input: { rooms } },
    "request.invalid",
    /cannot both be given/,
    "/patch",
  ],
])("a patch that %s is refused with the place, and changes nothing", async (...given) => {
  const [, payload, code, words, pointer] = given;
  const booking = await halted(operated);
  const refused = await operated.onBooking(booking, "resubmit", payload);
  const problem = refused.json<{ detail: string; errors?: { pointer: string }[] }>();
  expect(problem).toMatchObject({ status: 422, code, detail: expect.stringMatching(words) });
  expect(problem.errors?.[0]?.pointer ?? null).toBe(pointer);
  expect(await operated.show(booking.id)).toMatchObject({ version: booking.version });
  expect(await correctedInput(booking.id)).toBeUndefined();
});

test("the input of an undo is not patched", async () => {
  const booking = await haltedUndo(operated);
  const refused = await operated.onBooking(booking, "resubmit", {
    patch: [{ op: "add", path: "/x", value: 1 }],
  });
  expect(refused.json()).toMatchObject({ status: 422, code: "task.undo_has_no_input" });
});

test("a bulk operation patches the input of each of its tasks, and refuses those that it does not fit", async () => {
  const bookings = [await halted(operated), await halted(operated), await halted(operated)];
  const other = bookings[2]?.id ?? "";
  // This one was changed before: what the patch tests for is not there.
  const code = { op: "replace", path: "/rooms/0/code", value: "other" } as const;
  await operated.onBooking(bookings[2]!, "resubmit", { patch: [code] });
  await failAgain(other);

  const patch = [{ ...code, op: "test", value: first?.code }, nights];
  const filter = { state: "halted", createdAt: { $gte: "2000-01-01T00:00:00Z" } };
  const forecast = await createBulk({ patch, filter, dryRun: true });
  expect(forecast.json()).toMatchObject({
    refused: expect.arrayContaining([
      { reason: "task.patch_not_applicable", count: expect.any(Number) },
    ]),
    sample: expect.arrayContaining(bookings.slice(0, 2).map(({ id }) => id)),
  });
  const created = await createBulk({ patch, filter, rate: 1_000 });
  expect(created.statusCode).toBe(202);
  expect(created.json()).toMatchObject({ patch });
  const { id } = created.json<{ id: string }>();
  for (;;) {
    await operated.store.applyBulkItems({ id, after: 0, batch: 50 });
    const { items } = (
      await operated.app.inject({ url: `/v1/bulk-operations/${id}/items`, headers })
    ).json<{ items: { taskId: string; outcome: string; code: string | null }[] }>();
    if (items.some(({ outcome }) => outcome === "waiting")) continue;
    const refused = items.filter(({ outcome }) => outcome === "refused");
    expect(refused).toContainEqual(
      expect.objectContaining({ taskId: other, code: "task.patch_not_applicable" }),
    );
    break;
  }
  for (const { id: taskId } of bookings.slice(0, 2)) {
    expect(await correctedInput(taskId)).toEqual(expected);
  }
  expect(await correctedInput(other)).toEqual({ rooms: [{ ...first, code: "other" }, ...others] });
});
