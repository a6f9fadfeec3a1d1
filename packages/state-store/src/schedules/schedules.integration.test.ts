import type { Schedule } from "@holdfast/contracts";
import { calendarOf, zoneRules } from "@holdfast/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { makeEnqueued } from "../../test/application.ts";
import { openTestStores, type TestStore, testWorkflow } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import { offsetOf, type ScheduleRound } from "./schedules.ts";

let db: TestStore;
let submission: StateStore;
let operations: StateStore;
let scheduler: StateStore;
let supervisor: StateStore;
let other: StateStore;
beforeAll(async () => {
  const stores = await openTestStores(testWorkflow([{ name: "a" }], "nightly.v1"));
  ({ db, submission, operations, scheduler, supervisor } = stores);
  other = await db.open("submission", { events: true });
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() =>
  db.clear("schedules", "schedule_fires", "inbox", "refusals", "outbox", "alerts", "submissions"),
);

const minute = 60_000;
const hour = 60 * minute;
const yearly = "0 0 1 1 *";
const round: ScheduleRound = { actor: "s-1", most: 100, latest: null, checksRules: false };
const lookOnce = (changes: Partial<ScheduleRound> = {}, by = submission) =>
  by.fireSchedules({ ...round, ...changes });

/**
 * Has rounds until nothing is due any more: one leaves alone what a connection has locked that is
 * lost.
 */
async function fire(changes: Partial<ScheduleRound> = {}, by = submission) {
  const rounds = [await lookOnce(changes, by)];
  const due = `select from state.schedules
                where due_at <= clock_timestamp() or ($1 and due_at is not null and zone_rules < $2)`;
  while ((await db.query(due, [changes.checksRules === true, zoneRules])).length > 0)
    rounds.push(await lookOnce(changes, by));
  return {
    ...rounds.at(-1)!,
    fires: rounds.flatMap(({ fires: some }) => some),
    troubles: rounds.flatMap(({ troubles }) => troubles),
  };
}

const put = (id: string, changes: Partial<Schedule> = {}) =>
  operations.putSchedule({
    id,
    actor: "o",
    schedule: { workflow: "nightly", cron: yearly, zone: "UTC", input: { x: 1 }, ...changes },
  });

const one = async (id: string) =>
  (await operations.findSchedules({ id, after: null, most: 1 })).items[0]!;

/** A whole minute that has passed, so many minutes ago. */
const ago = (minutes: number) => (Math.floor(Date.now() / minute) - minutes) * minute;

/** Has a schedule be at an instant that has come. */
const comes = (id: string, instant: number) =>
  db.query(
    `update state.schedules
        set next_instant = to_timestamp($2::float8 / 1000), due_at = to_timestamp($2::float8 / 1000),
            dealt_with = to_timestamp($2::float8 / 1000 - 1)
      where id = $1`,
    [id, instant],
  );

interface Fire {
  readonly schedule: string;
  readonly at: number;
  readonly outcome: string;
  readonly taskId: string | null;
}
const fires = () =>
  db.query<Fire>(
    `select schedule, (extract(epoch from instant) * 1000)::float8 as at, outcome, task_id::text as "taskId"
       from state.schedule_fires order by schedule, instant`,
  );
const outcomes = async () => (await fires()).map(({ outcome }) => outcome);
const enqueued = () =>
  db.query<{ taskId: string; submission: object; submitter: string }>(
    `select task_id::text as "taskId", submission, submitter from state.inbox order by task_id`,
  );
const alerts = () =>
  db.query<{ kind: string; detail: string }>("select kind, detail from state.alerts");
const nothingWrong = async () =>
  expect(await scheduler.findInvariantViolations({ batch: 10 })).toEqual([]);

/** How the last task of a schedule ends. */
async function ends(id: string, state: "processed" | "undone" | "halted"): Promise<void> {
  await makeEnqueued(db, submission);
  await db.query(
    `set session_replication_role = replica;
     update state.tasks set process_state = '${state}', goal = '${state === "undone" ? "undo" : "do"}', finished_at = ${state === "halted" ? "null" : "clock_timestamp()"}
       from state.schedules where id = '${id}' and task_id = last_task;
     reset session_replication_role`,
  );
}

describe("a schedule whose time has come", () => {
  test("puts a submission into the inbox, with the parts of its instant, and goes on", async () => {
    await put("night", {
      zone: "Europe/Budapest",
      input: {
        x: 1,
        at: { $ref: "/schedule/at" },
        day: { $ref: "/schedule/date" },
        time: { $ref: "/schedule/time" },
        by: { $ref: "/schedule/id" },
      },
      priority: "urgent",
      labels: { of: "night" },
    });
    const instant = Date.parse("2026-10-25T00:30:00Z");
    await comes("night", instant);
    const { fires: fired } = await fire();
    const [row] = await enqueued();
    expect(fired).toEqual([{ schedule: "night", instant, outcome: "fired", taskId: row!.taskId }]);
    expect(row).toEqual({
      taskId: expect.any(String),
      submitter: "schedule:night",
      submission: {
        workflow: "nightly",
        priority: "urgent",
        labels: { of: "night" },
        input: {
          x: 1,
          at: "2026-10-25T00:30:00.000Z",
          day: "2026-10-25",
          time: "02:30",
          by: "night",
        },
      },
    });
    expect(await one("night")).toMatchObject({
      next: "2026-12-31T23:00:00.000Z",
      lastTask: row!.taskId,
      version: 1,
    });
    const [made] = await makeEnqueued(db, submission);
    expect(made).toMatchObject({ taskId: row!.taskId });
    await nothingWrong();
  });

  test("does so once, however often it is looked at", async () => {
    await put("night");
    await comes("night", ago(1));
    await fire();
    for (let again = 0; again < 3; again += 1) expect((await fire()).fires).toEqual([]);
    expect(await enqueued()).toHaveLength(1);
  });

  test("fires an instant once, even where its row is set back to it", async () => {
    await put("night", { overlap: "allow" });
    await comes("night", ago(1));
    await fire();
    await comes("night", ago(1));
    expect((await fire()).fires).toEqual([]);
    expect(await enqueued()).toHaveLength(1);
    expect((await one("night")).next).not.toBeNull();
  });

  test("says it to those who listen to events, and not where none do", async () => {
    await put("night", { catchUp: "all", overlap: "skip", cron: "* * * * *" });
    await comes("night", ago(2));
    await fire({}, other);
    const said = await db.query<{ subject: string; body: Record<string, unknown> }>(
      "select subject, body from state.outbox where channel = 'event' order by id",
    );
    const kept = await fires();
    expect(said.map(({ body }) => body["event"])).toEqual(
      kept.map(({ outcome }) => `schedule.${outcome}`),
    );
    expect(said[0]).toMatchObject({
      subject: "schedule:night",
      body: { schedule: "night", workflow: "nightly", taskId: kept[0]!.taskId },
    });
    await db.query("truncate state.outbox");
    await comes("night", ago(9));
    await fire();
    expect(await db.query("select from state.outbox where channel = 'event'")).toEqual([]);
  });

  test("is looked at by one of two processes, and the other goes on with others", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `s-${String(index).padStart(2, "0")}`);
    for (const id of ids) await put(id, { overlap: "allow" });
    for (let rounds = 1; rounds <= 5; rounds += 1) {
      const instant = ago(100 - rounds);
      for (const id of ids) await comes(id, instant);
      while ((await fires()).filter(({ at }) => at === instant).length < ids.length) {
        await Promise.all([
          lookOnce({ most: 7 }),
          lookOnce({ most: 7 }, other),
          lookOnce({ most: 7 }, other),
          lookOnce({ most: 7 }),
        ]);
      }
    }
    const all = await fires();
    expect(all).toHaveLength(ids.length * 5);
    expect(all.filter(({ outcome }) => outcome !== "fired")).toEqual([]);
    const tasks = new Set((await enqueued()).map(({ taskId }) => taskId));
    expect(tasks).toEqual(new Set(all.map(({ taskId }) => taskId)));
    expect(tasks.size).toBe(ids.length * 5);
  });

  test("does not fire ahead of its time, and says when that is", async () => {
    await put("night", { cron: "* * * * *" });
    const { fires: none, nextIn } = await fire();
    expect(none).toEqual([]);
    expect(nextIn).toBeGreaterThan(-1_000);
    expect(nextIn).toBeLessThanOrEqual(minute);
    await operations.deleteSchedule({ id: "night" });
    expect((await fire()).nextIn).toBeNull();
  });

  test("that cannot be computed keeps no other one from firing, and a person is alerted", async () => {
    await put("night");
    await put("wrong");
    await comes("night", ago(1));
    await comes("wrong", ago(2));
    await db.query(
      `update state.schedules set definition = (definition::jsonb || '{"zone": "Europe/Atlantis"}')::json where id = 'wrong'`,
    );
    const found = await fire();
    expect(found.fires).toMatchObject([{ schedule: "night", outcome: "fired" }]);
    expect(found.troubles).toEqual([{ id: "wrong", trouble: "unusable" }]);
    expect(await alerts()).toMatchObject([{ kind: "schedule.unusable" }]);
    expect((await fire()).troubles).toEqual([]);
    // Mended, it fires what it could not.
    await db.query(
      `update state.schedules set definition = (definition::jsonb || '{"zone": "UTC"}')::json, due_at = next_instant where id = 'wrong'`,
    );
    expect((await fire()).fires).toMatchObject([{ schedule: "wrong", outcome: "fired" }]);
  });
});

describe("after an absence", () => {
  test.each([
    ["last", [...Array(100).fill("missed"), "fired"]],
    ["none", [...Array(100).fill("missed"), expect.stringMatching(/^(?:fired|missed)$/)]],
  ] as const)("of a week, %s is caught up with in one round", async (catchUp, expected) => {
    await put("often", { cron: "* * * * *", catchUp });
    await comes("often", ago(7 * 24 * 60));
    await fire();
    expect(await outcomes()).toEqual(expected);
    expect(Date.parse((await one("often")).next!)).toBeGreaterThan(ago(1));
  });

  test("all are caught up with, a hundred at a time", async () => {
    await put("often", { cron: "* * * * *", catchUp: "all", overlap: "allow" });
    await comes("often", ago(149));
    await lookOnce({ most: 1 });
    expect([0, 100]).toContain((await outcomes()).length);
    await fire();
    const all = await fires();
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(all.filter(({ outcome }) => outcome !== "fired")).toEqual([]);
    expect(all.every(({ at }, index) => at === all[0]!.at + index * minute)).toBe(true);
    expect(await enqueued()).toHaveLength(all.length);
  });
});

describe("while its last task is open", () => {
  const firstFires = async (id: string, changes: Partial<Schedule>) => {
    await put(id, changes);
    await comes(id, ago(50));
    await fire();
  };

  test("an instant is skipped, and the third in a row alerts a person, with the task", async () => {
    await firstFires("night", {});
    for (const minutes of [40, 30, 20, 10]) {
      await comes("night", ago(minutes));
      await fire();
    }
    expect(await outcomes()).toEqual(["fired", "skipped", "skipped", "skipped", "skipped"]);
    const { lastTask, skips } = await one("night");
    expect(skips).toBe(4);
    expect(await alerts()).toEqual([
      { kind: "schedule.blocked", detail: expect.stringContaining(`night skips`) },
    ]);
    expect((await alerts())[0]!.detail).toContain(lastTask);
    await ends("night", "processed");
    await comes("night", ago(5));
    await fire();
    expect((await outcomes()).at(-1)).toBe("fired");
    expect((await one("night")).skips).toBe(0);
  });

  test("one instant waits for its end, and fires then", async () => {
    await firstFires("night", { overlap: "bufferOne" });
    await comes("night", ago(40));
    await fire();
    await comes("night", ago(30));
    await fire();
    expect(await outcomes()).toEqual(["fired", "skipped", "buffered"]);
    const waits = () =>
      db.query("update state.schedules set due_at = clock_timestamp() where buffered is not null");
    await waits();
    await fire();
    expect(await outcomes()).toEqual(["fired", "skipped", "buffered"]);
    await ends("night", "processed");
    await waits();
    await fire();
    expect(await outcomes()).toEqual(["fired", "skipped", "fired"]);
    expect(await one("night")).toMatchObject({ buffered: null });
    expect(await enqueued()).toHaveLength(1);
  });

  test.each([
    ["paused", () => operations.pauseSchedule({ id: "night", actor: "o", reason: null })],
    ["changed", () => put("night", { overlap: "bufferOne", input: { x: 2 } })],
    ["deleted", () => operations.deleteSchedule({ id: "night" })],
  ])("what waits is skipped once it is %s", async (_, change) => {
    await firstFires("night", { overlap: "bufferOne" });
    await comes("night", ago(40));
    await fire();
    expect(await outcomes()).toEqual(["fired", "buffered"]);
    expect(await change()).toBe(true);
    expect(await outcomes()).toEqual(["fired", "skipped"]);
    await ends("night", "processed");
    await db.query("update state.schedules set due_at = clock_timestamp() where paused_at is null");
    await fire();
    expect(await outcomes()).toEqual(["fired", "skipped"]);
  });

  test("it fires all the same, where that is allowed", async () => {
    await firstFires("night", { overlap: "allow" });
    await comes("night", ago(40));
    await fire();
    expect(await outcomes()).toEqual(["fired", "fired"]);
  });

  test("a halted task is not open", async () => {
    await firstFires("night", {});
    await ends("night", "halted");
    await comes("night", ago(40));
    await fire();
    expect(await outcomes()).toEqual(["fired", "fired"]);
    expect((await one("night")).failures).toBe(1);
  });
});

describe("tasks that fail", () => {
  /** Has it fire once more, after its last task ended. */
  async function again(state: "processed" | "undone" | "halted", minutes: number): Promise<void> {
    await ends("night", state);
    await comes("night", ago(minutes));
    await fire();
  }

  test("so many in a row pause it, with an alert, and it fires no more until it is resumed", async () => {
    await put("night", { pauseAfterFailures: 3 });
    await comes("night", ago(50));
    await fire();
    await again("undone", 45);
    await again("halted", 40);
    expect((await one("night")).failures).toBe(2);
    await again("processed", 35);
    expect((await one("night")).failures).toBe(0);
    await again("undone", 30);
    await again("undone", 25);
    expect(await alerts()).toEqual([]);
    const before = (await outcomes()).length;
    await again("undone", 20);
    expect(await one("night")).toMatchObject({
      next: null,
      failures: 0,
      lastTask: null,
      paused: { by: "s-1", reason: "schedule.failing" },
    });
    expect(await alerts()).toMatchObject([{ kind: "schedule.paused" }]);
    expect(await outcomes()).toHaveLength(before);
    expect(await operations.resumeSchedule({ id: "night" })).toBe(true);
    await comes("night", ago(5));
    await fire();
    expect((await outcomes()).at(-1)).toBe("fired");
  });

  test("count once, however often it is looked at", async () => {
    await put("night", { catchUp: "none", pauseAfterFailures: 3 });
    await comes("night", ago(0));
    await fire();
    await ends("night", "undone");
    for (const minutes of [40, 30, 20, 10]) {
      await comes("night", ago(minutes));
      await fire();
    }
    expect(await one("night")).toMatchObject({ failures: 1, paused: null });
  });

  test("a submission that is refused is one", async () => {
    await put("night", { pauseAfterFailures: 1 });
    await comes("night", ago(10));
    const taskId = (await fire()).fires[0]!.taskId!;
    const refused = {
      taskId,
      code: "workflow.retired",
      detail: "x",
      errors: [],
      notification: null,
    };
    await submission.refuseEnqueued([refused]);
    await comes("night", ago(5));
    expect((await fire()).troubles).toEqual([{ id: "night", trouble: "paused" }]);
  });
});

describe("a schedule is stored", () => {
  test("once, and again only where it says something else", async () => {
    expect(await put("night")).toBe(true);
    expect(await put("night")).toBe(false);
    expect(await put("night", { overlap: "skip", catchUp: "last", jitter: 0 })).toBe(false);
    expect(await put("night", { input: { x: 2 } })).toBe(true);
    expect(await one("night")).toMatchObject({
      version: 2,
      definition: { input: { x: 2 }, overlap: "skip", catchUp: "last", pauseAfterFailures: null },
      changedBy: "o",
      paused: null,
    });
  });

  test("and fires from now on", async () => {
    await put("night", { cron: "* * * * *" });
    const { next, createdAt } = await one("night");
    const expected = calendarOf({ cron: "* * * * *", zone: "UTC" }).after(Date.parse(createdAt));
    expect(Math.abs(Date.parse(next!) - expected!)).toBeLessThanOrEqual(minute);
  });

  test("paused, it stays so when it is changed", async () => {
    await put("night");
    await operations.pauseSchedule({ id: "night", actor: "o", reason: "stock-taking" });
    await put("night", { input: { x: 2 } });
    await comesPaused();
    expect(await one("night")).toMatchObject({ paused: { by: "o", reason: "stock-taking" } });
  });

  test("and looked through by pages", async () => {
    for (const id of ["c", "a", "b"]) await put(id);
    const first = await operations.findSchedules({ id: null, after: null, most: 2 });
    expect(first.items.map(({ id }) => id)).toEqual(["a", "b"]);
    const second = await operations.findSchedules({ id: null, after: first.next, most: 2 });
    expect([second.items.map(({ id }) => id), second.next]).toEqual([["c"], null]);
  });
});

/** Nothing is due, whatever its instants are. */
async function comesPaused(): Promise<void> {
  await db.query(
    `update state.schedules set next_instant = now() - interval '1 hour',
                                due_at = case when due_at is not null then now() - interval '1 hour' end`,
  );
  expect((await fire({ checksRules: true })).fires).toEqual([]);
}

describe("a person", () => {
  test("pauses and resumes it, each once, and what came meanwhile does not fire", async () => {
    await put("night", { cron: "* * * * *", catchUp: "all" });
    const pause = () => operations.pauseSchedule({ id: "night", actor: "ada", reason: "x" });
    const resume = () => operations.resumeSchedule({ id: "night" });
    expect(await resume()).toBe(false);
    expect([await pause(), await pause()]).toEqual([true, false]);
    expect(await one("night")).toMatchObject({ next: null, paused: { by: "ada", reason: "x" } });
    await comesPaused();
    expect([await resume(), await resume()]).toEqual([true, false]);
    expect(await one("night")).toMatchObject({ paused: null, skips: 0, failures: 0 });
    expect(Date.parse((await one("night")).next!)).toBeGreaterThan(ago(1));
    expect(await fires()).toEqual([]);
    const unknown = { id: "none", actor: "ada", reason: null };
    expect(await operations.pauseSchedule(unknown)).toBe(false);
    expect(await operations.resumeSchedule(unknown)).toBe(false);
    expect(await operations.deleteSchedule(unknown)).toBe(false);
  });

  test("has it fire now, whatever its last task does, also while it is paused", async () => {
    await put("night");
    await comes("night", ago(1));
    await fire();
    await operations.pauseSchedule({ id: "night", actor: "o", reason: null });
    const hand = { id: "night", instants: null, actor: "ada", reason: "month's end" };
    const fired = await operations.fireByHand(hand);
    expect(fired).toMatchObject([{ schedule: "night", outcome: "fired" }]);
    expect(await enqueued()).toHaveLength(2);
    const { items } = await operations.findFires({ id: "night", after: null, most: 9 });
    expect(items.map(({ actor, reason }) => [actor, reason])).toEqual([
      ["ada", "month's end"],
      [null, null],
    ]);
    expect(await operations.fireByHand({ ...hand, id: "none" })).toBeNull();
  });

  test("has it fire for instants that were missed, skipped or never looked at, and for no other", async () => {
    await put("often", { cron: "* * * * *", catchUp: "last" });
    await comes("often", ago(3));
    await fire();
    const all = await fires();
    expect(all.map(({ outcome }) => outcome).slice(0, 3)).toEqual(["missed", "missed", "missed"]);
    const instants = [ago(9), ...all.map(({ at }) => at)];
    const hand = { id: "often", instants, actor: "ada", reason: null };
    const fired = await operations.fireByHand(hand);
    expect(fired!.map(({ instant }) => instant)).toEqual([
      ago(9),
      ...all.slice(0, -1).map(({ at }) => at),
    ]);
    expect(await operations.fireByHand(hand)).toEqual([]);
    expect(await enqueued()).toHaveLength(instants.length);
    expect(new Set(await outcomes())).toEqual(new Set(["fired"]));
  });

  test("sees what became of instants by pages, the latest first", async () => {
    await put("often", { cron: "* * * * *", catchUp: "last" });
    await comes("often", ago(4));
    await fire();
    const all = (await fires()).map(({ at }) => new Date(at).toISOString()).toReversed();
    const page = await operations.findFires({ id: "often", after: null, most: 2 });
    const next = await operations.findFires({ id: "often", after: page.next, most: 100 });
    expect([...page.items, ...next.items].map(({ instant }) => instant)).toEqual(all);
    expect(next.next).toBeNull();
  });
});

describe("changes race a round", () => {
  test("nothing fires after the pause was answered, and no instant twice, whatever comes between", async () => {
    await put("night", { cron: "* * * * *", overlap: "allow" });
    for (let rounds = 0; rounds < 15; rounds += 1) {
      await comes("night", ago(60 - rounds));
      const change = [
        () => operations.pauseSchedule({ id: "night", actor: "o", reason: null }),
        () => put("night", { cron: "* * * * *", overlap: "allow", input: { x: rounds } }),
        () => operations.deleteSchedule({ id: "night" }),
      ][rounds % 3]!;
      await Promise.all([lookOnce(), change(), lookOnce({}, other)]);
      const before = (await fires()).length;
      if (rounds % 3 !== 1) {
        expect((await fire()).fires).toEqual([]);
        expect(await fires()).toHaveLength(before);
      }
      await operations.resumeSchedule({ id: "night" });
      await put("night", { cron: "* * * * *", overlap: "allow" });
    }
    const tasks = (await fires()).flatMap(({ taskId }) => taskId ?? []);
    expect(new Set(tasks)).toEqual(new Set((await enqueued()).map(({ taskId }) => taskId)));
    expect(new Set(tasks).size).toBe(tasks.length);
  });
});

describe("the clock of the store", () => {
  test("is not believed beyond what it may say", async () => {
    await put("night");
    await comes("night", ago(1));
    expect((await lookOnce({ latest: ago(2) })).fires).toEqual([]);
    expect((await fire({ latest: ago(0) })).fires).toHaveLength(1);
  });
});

describe("later rules of time zones", () => {
  const earlier = (next: string) =>
    db.query(
      "update state.schedules set zone_rules = '2000a', next_instant = $1, due_at = $1, dealt_with = '2026-06-01'",
      [next],
    );

  test("say the next instant anew, when a process starts, and what was dealt with stays so", async () => {
    await put("night", { cron: "30 2 1 1 *", zone: "Europe/Budapest" });
    await earlier("2027-01-01T02:30:00Z");
    expect(await fire()).toMatchObject({ fires: [] });
    expect((await one("night")).next).toBe("2027-01-01T02:30:00.000Z");
    expect(await fire({ checksRules: true })).toMatchObject({ fires: [] });
    expect((await one("night")).next).toBe("2027-01-01T01:30:00.000Z");
    const [row] = await db.query<{ rules: string }>(
      "select zone_rules as rules from state.schedules",
    );
    expect(row!.rules).toBe(zoneRules);
  });

  test("also where it is due by earlier ones, and not by them", async () => {
    await put("night", { cron: "30 2 1 1 *", zone: "Europe/Budapest" });
    await earlier("2026-06-02T00:00:00Z");
    expect((await fire()).fires).toEqual([]);
    expect((await one("night")).next).toBe("2027-01-01T01:30:00.000Z");
  });
});

describe("jitter", () => {
  const daily = calendarOf({ cron: "0 0 * * *", zone: "UTC" });
  const often = calendarOf({ cron: "* * * * *", zone: "UTC" });

  test("is the same for the same instant, and spread over its span", () => {
    const offset = offsetOf("night", hour, daily);
    const offsets = Array.from({ length: 200 }, (_, index) => offset(index * 24 * hour));
    expect(offsets).toEqual(Array.from({ length: 200 }, (_, index) => offset(index * 24 * hour)));
    expect(Math.max(...offsets)).toBeLessThan(hour);
    expect(Math.max(...offsets)).toBeGreaterThan(0.9 * hour);
    expect(Math.min(...offsets)).toBeLessThan(0.1 * hour);
    expect(offsetOf("day", hour, daily)(0)).not.toBe(offset(0));
  });

  test("ends before the next instant", () => {
    const offset = offsetOf("often", hour, often);
    for (let index = 0; index < 100; index += 1)
      expect(offset(index * minute)).toBeLessThan(minute);
  });

  test("is waited for", async () => {
    await put("night", { jitter: hour, cron: "0 * * * *" });
    const { next } = await one("night");
    const [row] = await db.query<{ due: number }>(
      "select (extract(epoch from due_at) * 1000)::float8 as due from state.schedules",
    );
    const calendar = calendarOf({ cron: "0 * * * *", zone: "UTC" });
    const instant = Date.parse(next!);
    expect(row!.due - instant).toBe(offsetOf("night", hour, calendar)(instant));
  });
});

test("what became of instants is kept for as long as records are", async () => {
  await put("night");
  await comes("night", ago(1));
  await fire();
  await supervisor.deleteOldRecords({ keep: hour, batch: 10 });
  expect(await fires()).toHaveLength(1);
  await db.query("update state.schedule_fires set at = at - interval '2 hours'");
  expect(await supervisor.deleteOldRecords({ keep: hour, batch: 10 })).toBe(1);
  expect(await fires()).toEqual([]);
});
