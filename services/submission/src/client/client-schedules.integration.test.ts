import { type HoldfastClient, holdfastClient } from "@holdfast/client";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Commanded, openCommanded } from "../../test/command.ts";
import { paying } from "../../test/paying.ts";
import { token } from "../../test/trips.ts";

let commanded: Commanded;
let client: HoldfastClient;
beforeAll(async () => {
  commanded = await openCommanded();
  await commanded.trips.store.registerWorkflow(paying);
  client = holdfastClient({ url: commanded.url, token, actor: "ann" });
});
afterAll(async () => {
  await commanded[Symbol.asyncDispose]();
});

const nightly = {
  workflow: "paying",
  cron: "30 2 * * *",
  zone: "America/New_York",
  input: { order: { $ref: "/schedule/date" } },
  overlap: "allow",
} as const;
const why = { reason: "the close is late" };

test("the client puts, shows, lists, pauses, resumes and deletes a schedule", async () => {
  const { schedules } = client;
  const put = await schedules.put("night", nightly);
  expect(put).toMatchObject({ id: "night", version: 1, isNew: true, changedBy: "operator:ann" });
  const { isNew: _isNew, ...stored } = put;
  expect(await schedules.get("night")).toEqual(stored);
  expect((await schedules.list()).map(({ id }) => id)).toEqual(["night"]);
  const { items } = await schedules.next("night", { count: 2 });
  expect(items).toHaveLength(2);
  expect(items[0]?.local).toMatch(/T02:30:00-0[45]:00$/);
  await schedules.pause("night", why);
  expect(await schedules.get("night")).toMatchObject({ next: null, paused: why });
  await schedules.resume("night", why);
  await expect(schedules.resume("night", why)).rejects.toMatchObject({
    status: 409,
    code: "schedule.not_paused",
  });
  await schedules.delete("night");
  await expect(schedules.get("night")).rejects.toMatchObject({ code: "schedule.unknown" });
});

test("the client has a schedule fire, and fills in what it missed, each instant once", async () => {
  const { schedules } = client;
  await schedules.put("hand", nightly);
  const { taskId } = await schedules.fire("hand", why);
  const days = { from: new Date("2026-01-05T00:00:00Z"), to: "2026-01-08T00:00:00Z" };
  const { fired } = await schedules.backfill("hand", { ...why, ...days });
  expect(fired).toHaveLength(3);
  expect(await schedules.backfill("hand", { ...why, ...days })).toEqual({
    fired: [],
    firedBefore: 3,
  });
  const first = await schedules.fires("hand", { limit: 1 });
  expect(first.items).toMatchObject([{ taskId, actor: "operator:ann", reason: why.reason }]);
  const { items, next } = await schedules.fires("hand", { after: first.next });
  expect(items.map(({ taskId: id }) => id)).toEqual(fired.toReversed().map(({ taskId: id }) => id));
  expect(next).toBeNull();
});

test("what is wrong with a schedule is thrown with its places", async () => {
  const wrong = { ...nightly, workflow: "paying", zone: "Mars/Olympus", input: { $ref: "/x" } };
  await expect(client.schedules.put("wrong", wrong)).rejects.toMatchObject({
    status: 400,
    code: "schedule.invalid",
    errors: [{ pointer: "/zone" }, { pointer: "/input" }],
  });
});
