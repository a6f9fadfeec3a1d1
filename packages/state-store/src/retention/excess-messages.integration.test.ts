import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type MonthsStore, openMonthsStore } from "../../test/months.ts";

const day = 24 * 3_600_000;
const batch = 200;

let store: MonthsStore;
beforeEach(async () => {
  store = await openMonthsStore();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
});

const fill = (sender: string | null, replies: number) =>
  store.db.query(
    `insert into state.rejected_replies (reason, sender, body)
     select 'stale', $1, convert_to((select string_agg(md5(random()::text), '') from generate_series(1, 300) as n where n + reply > 0), 'UTF8')
       from generate_series(1, $2) as reply`,
    [sender, replies],
  );
const keptReplies = async () =>
  store.db.query(
    "select sender, count(*)::integer as replies from state.rejected_replies group by 1 order by 1",
  );

describe("messages that changed nothing", () => {
  test("of a sender that sends too many are deleted, the oldest first, with one alert", async () => {
    await fill("noisy", 100);
    await fill("quiet", 5);
    const limit = { mostBytes: 200_000, batch: 1_000 };
    const [dropped, ...others] = await store.supervisor.deleteExcessMessages(limit);
    expect(others).toEqual([]);
    expect(dropped).toMatchObject({ sender: "noisy" });
    const left = 100 - (dropped?.messages ?? 0);
    expect(left).toBeGreaterThan(10);
    expect(left).toBeLessThan(25);
    expect(await keptReplies()).toEqual([
      { sender: "noisy", replies: left },
      { sender: "quiet", replies: 5 },
    ]);
    const [oldest] = await store.db.query<{ id: string }>(
      "select min(id)::text as id from state.rejected_replies where sender = 'noisy'",
    );
    expect(Number(oldest?.id)).toBe(101 - left);
    await fill("noisy", 10);
    expect(await store.supervisor.deleteExcessMessages(limit)).toHaveLength(1);
    expect(
      await store.db.query("select kind, detail from state.alerts where kind = 'message.dropped'"),
    ).toEqual([
      { kind: "message.dropped", detail: expect.stringContaining("noisy has more than") },
    ]);
  });

  test("are deleted after their own retention, even if orders are kept for ever", async () => {
    await fill("a", 3);
    await store.db.query(
      "update state.rejected_replies set at = now() - interval '31 days' where id < 3",
    );
    expect(await store.supervisor.deleteOldMessages({ keep: 30 * day, batch })).toBe(2);
    expect(await keptReplies()).toEqual([{ sender: "a", replies: 1 }]);
  });
});
