import { queryOnce } from "@holdfast/local-stack";
import { openStateStore } from "@holdfast/state-store";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { asOperator, authorization, openTrips, type TripService, trip } from "../../test/trips.ts";

let trips: TripService;
beforeAll(async () => {
  trips = await openTrips();
  await trips.clear();
  await trips.put("settle.v1", settling);
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});

/** A workflow that settles a day. */
const settling = trip("settle.v1", {
  inputSchema: {
    type: "object",
    properties: {
      day: { type: "string", minLength: 10, maxLength: 10 },
      count: { type: "integer" },
    },
    required: ["day"],
    additionalProperties: false,
  },
});

const nightly = {
  workflow: "settle",
  cron: "30 2 * * *",
  zone: "Europe/Budapest",
  input: { day: { $ref: "/schedule/date" } },
};

const path = (id: string, rest = "") => `/v1/schedules/${id}${rest}`;
const put = (id: string, payload: object, query = "") =>
  trips.request("PUT", path(id, query), payload);
const remove = (id: string) => trips.request("DELETE", path(id, "?actor=ann"));
const act = (id: string, what: string, more: object = {}) =>
  trips.post(path(id, `/${what}`), { ...asOperator, ...more }, { authorization });
const show = async (id: string) => (await trips.get(path(id))).json();
const firesOf = async (id: string, query = "") =>
  (await trips.get(path(id, `/fires${query}`))).json();

interface ProblemBody {
  readonly code: string;
  readonly count?: number;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
}
const problemOf = (response: { json: <T>() => T }) => response.json<ProblemBody>();

describe("a schedule that is put", () => {
  test("is stored with what it does not say, and shown, and the same again changes nothing", async () => {
    const created = await put("night", nightly, "?actor=ann");
    expect(created.statusCode).toBe(201);
    expect(created.headers["location"]).toBe("/v1/schedules/night");
    const stored = await show("night");
    expect(created.json()).toEqual(stored);
    expect(stored).toMatchObject({
      id: "night",
      definition: {
        ...nightly,
        overlap: "skip",
        catchUp: "last",
        jitter: 0,
        pauseAfterFailures: null,
      },
      version: 1,
      buffered: null,
      lastTask: null,
      paused: null,
      changedBy: "operator:ann",
    });
    expect(stored.next).toMatch(/T0[01]:30:00\.000Z$/);
    const again = await put("night", nightly, "?actor=ben");
    expect([again.statusCode, again.json()]).toEqual([200, stored]);
    const back = await put("night", stored.definition);
    expect([back.statusCode, back.json()]).toEqual([200, stored]);
  });

  test("replaces the one of that id, whose version rises", async () => {
    await put("replaced", nightly);
    const response = await put("replaced", { ...nightly, cron: "0 4 * * 1" }, "?actor=ben");
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      version: 2,
      definition: { cron: "0 4 * * 1" },
      changedBy: "operator:ben",
    });
  });

  test("twice at once is stored once or changed, and fails for neither", async () => {
    const answers = await Promise.all([
      put("raced", nightly),
      put("raced", { ...nightly, cron: "0 5 * * *" }),
      put("raced", nightly),
    ]);
    for (const { statusCode } of answers) expect([200, 201]).toContain(statusCode);
    const { version, definition } = await show("raced");
    expect(version).toBeGreaterThanOrEqual(2);
    expect(["30 2 * * *", "0 5 * * *"]).toContain(definition.cron);
  });

  test.each<[string, object, readonly string[]]>([
    ["a zone that does not exist", { zone: "Europe/Atlantis" }, ["/zone"]],
    ["an offset in the place of a zone", { zone: "+02:00" }, ["/zone"]],
    ["a cron that never comes", { cron: "0 0 31 2 *" }, ["/cron"]],
    ["six fields", { cron: "0 30 2 * * *" }, ["/cron"]],
    ["words", { cron: "every night" }, ["/cron"]],
    ["an unknown ref", { input: { day: { $ref: "/schedule/week" } } }, ["/input"]],
    ["a ref of a workflow", { input: { day: { $ref: "/input/day" } } }, ["/input"]],
    ["a ref that is no text", { input: { day: { $ref: 7 } } }, ["/input"]],
    ["an unknown word", { input: { day: { $now: true } } }, ["/input"]],
    ["a concat that is no list", { input: { day: { $concat: "x" } } }, ["/input"]],
    ["an input that is none of the workflow", { input: { day: "today" } }, ["/input/day"]],
    ["a field that is missing", { input: {} }, ["/input/day"]],
    ["a long input", { input: { day: "x".repeat(65_600) } }, ["/input"]],
    ["all of it", { zone: "Nowhere", input: { $ref: "/x" } }, ["/zone", "/input"]],
  ])("is refused with the place for %s", async (_, change, pointers) => {
    const response = await put("refused", { ...nightly, ...change });
    expect(response.statusCode).toBe(400);
    const { code, errors } = problemOf(response);
    expect(code).toBe("schedule.invalid");
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
    expect((await trips.get(path("refused"))).statusCode).toBe(404);
  });

  test.each<[string, object]>([
    ["a cron of a megabyte's kind", { cron: "*".repeat(200_000) }],
    ["control characters in the zone", { zone: "UTC\u001b[2J" }],
    ["labels that are a list", { labels: ["a"] }],
    ["labels of numbers", { labels: { region: 7 } }],
    ["labels with a name that is none", { labels: { "a b": "c" } }],
    ["a field that there is none of", { timezone: "UTC" }],
    ["no zone", { zone: undefined }],
    ["a jitter of more than an hour", { jitter: 3_600_001 }],
    ["no failures at all", { pauseAfterFailures: 0 }],
    ["an overlap that is none", { overlap: "undoOther" }],
  ])("is refused by its form for %s", async (_, change) => {
    const response = await put("refused", { ...nightly, ...change });
    expect([response.statusCode, problemOf(response).code]).toEqual([422, "request.invalid"]);
  });

  test.each(["x".repeat(200), "-a", "a b", "a/b", "..", "é"])(
    "has no id such as %s",
    async (id) => {
      const response = await put(encodeURIComponent(id), nightly);
      expect([404, 414, 422]).toContain(response.statusCode);
    },
  );

  test("of more than a megabyte is refused before it is read", async () => {
    const response = await put("refused", { ...nightly, cron: "*".repeat(1_100_000) });
    expect([response.statusCode, problemOf(response).code]).toEqual([413, "request.too_large"]);
  });

  test("names a workflow that there is, and that takes tasks", async () => {
    const unknown = await put("refused", { ...nightly, workflow: "settel" });
    expect([unknown.statusCode, problemOf(unknown).code]).toEqual([404, "workflow.unknown"]);
    await trips.put("over.v1", { ...settling, name: "over.v1" });
    await trips.post("/v1/workflows/over.v1/retire", asOperator, { authorization });
    const retired = await put("refused", { ...nightly, workflow: "over" });
    expect([retired.statusCode, problemOf(retired).code]).toEqual([410, "workflow.retired"]);
  });

  test("needs the operators' token, as everything about schedules does", async () => {
    const asked = ["", "/night", "/night/next", "/night/fires"].map((rest) =>
      trips.get(`/v1/schedules${rest}`, {}),
    );
    const stored = trips.request("PUT", path("night"), nightly, {});
    const acts = ["pause", "resume", "fire", "backfill"].map((what) =>
      trips.post(path("night", `/${what}`), asOperator),
    );
    const answers = await Promise.all([...asked, stored, ...acts]);
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([401]));
  });
});

describe("schedules", () => {
  test("are listed by pages, a thousand of them, each once", async () => {
    await queryOnce(
      trips.url,
      `insert into state.schedules (id, definition, zone_rules, changed_by)
       select 'many-' || lpad(number::text, 4, '0'),
              '{"workflow":"settle","cron":"* * * * *","zone":"UTC","input":{"day":"x"}}', '', 'operator:ann'
         from generate_series(1, 1000) as number`,
    );
    const found: string[] = [];
    let pages = 0;
    for (let after: string | null = ""; after !== null; pages += 1) {
      const more: string = after === "" ? "" : `&after=${after}`;
      const page = (await trips.get(`/v1/schedules?limit=1000${more}`)).json();
      expect(page.items.length).toBeLessThanOrEqual(100);
      for (const { id, definition } of page.items) {
        expect(definition).not.toHaveProperty("input");
        found.push(id);
      }
      after = page.next;
    }
    expect(pages).toBeGreaterThanOrEqual(10);
    expect(found).toEqual([...new Set(found)].toSorted());
    expect(found.filter((id) => id.startsWith("many-"))).toHaveLength(1_000);
    await queryOnce(trips.url, "delete from state.schedules where id like 'many-%'");
  });

  test("are deleted, and then unknown; what became of their instants stays", async () => {
    await put("gone", nightly);
    await act("gone", "fire");
    expect((await remove("gone")).statusCode).toBe(204);
    const asked = [
      remove("gone"),
      trips.get(path("gone")),
      trips.get(path("gone", "/next")),
      trips.get(path("never", "/fires")),
      act("gone", "pause"),
      act("gone", "resume"),
      act("gone", "fire"),
      act("gone", "backfill", { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" }),
    ];
    for (const response of await Promise.all(asked)) {
      expect([response.statusCode, problemOf(response).code]).toEqual([404, "schedule.unknown"]);
    }
    expect((await firesOf("gone")).items).toHaveLength(1);
  });

  test("are paused and resumed once", async () => {
    await put("paused", nightly);
    expect((await act("paused", "resume")).json()).toMatchObject({ code: "schedule.not_paused" });
    expect((await act("paused", "pause")).statusCode).toBe(204);
    expect(await show("paused")).toMatchObject({
      next: null,
      paused: { by: "operator:ann", reason: asOperator.reason, at: expect.any(String) },
    });
    const again = await act("paused", "pause");
    expect([again.statusCode, problemOf(again).code]).toEqual([409, "schedule.already_paused"]);
    await put("paused", { ...nightly, jitter: 5 });
    expect(await show("paused")).toMatchObject({ next: null, paused: { by: "operator:ann" } });
    const coming = (await trips.get(path("paused", "/next"))).json();
    expect(coming).toMatchObject({ paused: true, zone: "Europe/Budapest" });
    expect((await act("paused", "resume")).statusCode).toBe(204);
    expect(await show("paused")).toMatchObject({ next: coming.items[0].instant, paused: null });
  });
});

describe("the next instants", () => {
  test("are shown as instants and as clocks of the zone show them", async () => {
    await put("coming", nightly);
    const { items, ...more } = (await trips.get(path("coming", "/next?count=100"))).json();
    expect(more).toEqual({ zone: "Europe/Budapest", paused: false, next: null });
    expect(items).toHaveLength(100);
    expect(items[0].instant).toBe((await show("coming")).next);
    for (const { instant, local } of items) {
      expect(local).toMatch(/T0[23]:[03]0:00\+0[12]:00$/);
      expect(new Date(local).toISOString()).toBe(instant);
    }
    expect((await trips.get(path("coming", "/next"))).json().items).toHaveLength(10);
  });

  test.each(["0", "101", "-1", "1e2", "x", ""])("are not %s", async (count) => {
    const response = await trips.get(path("coming", `/next?count=${count}`));
    expect(response.statusCode).toBe(422);
  });
});

describe("by hand", () => {
  const minutes = { ...nightly, cron: "* * * * *", zone: "UTC" };
  const day = (text: string) => `2026-01-${text}Z`;
  const backfill = (id: string, from: string, to: string) => act(id, "backfill", { from, to });

  test("a schedule fires at once, also while it is paused, with its actor", async () => {
    await put("hand", nightly);
    await act("hand", "pause");
    const first = await act("hand", "fire");
    expect(first.statusCode).toBe(202);
    const { instant, taskId } = first.json();
    const second = (await act("hand", "fire")).json();
    expect(second.taskId).not.toBe(taskId);
    const { items } = await firesOf("hand");
    expect(items).toHaveLength(2);
    expect(items[1]).toEqual({
      instant,
      outcome: "fired",
      taskId,
      actor: "operator:ann",
      reason: asOperator.reason,
      at: expect.any(String),
    });
    const enqueued = await queryOnce<{ submission: object; submitter: string }>(
      trips.url,
      `select submission, submitter from state.inbox where task_id = '${taskId}'`,
    );
    expect(enqueued).toEqual([
      {
        submission: { workflow: "settle", input: { day: expect.stringMatching(/^\d{4}-/) } },
        submitter: "schedule:hand",
      },
    ]);
  });

  test("many requests at once each fire", async () => {
    await put("crowd", nightly);
    const answers = await Promise.all(Array.from({ length: 12 }, () => act("crowd", "fire")));
    const tasks = new Set(answers.map((response) => response.json<{ taskId: string }>().taskId));
    expect(tasks.size).toBe(12);
  });

  test("instants of the past fire once, the earliest first, and those that have fired stay", async () => {
    await put("past", minutes);
    const response = await backfill("past", day("05T10:00:00"), day("05T10:09:00"));
    expect(response.statusCode).toBe(202);
    const { fired, firedBefore } = response.json();
    expect(firedBefore).toBe(0);
    expect(fired.map(({ instant }: { instant: string }) => instant)).toEqual(
      Array.from({ length: 10 }, (_, minute) => `2026-01-05T10:0${minute}:00.000Z`),
    );
    const again = await backfill("past", day("05T10:05:00"), day("05T10:11:00"));
    expect(again.json()).toMatchObject({
      firedBefore: 5,
      fired: [{ instant: "2026-01-05T10:10:00.000Z" }, { instant: "2026-01-05T10:11:00.000Z" }],
    });
    const { items } = await firesOf("past");
    expect(items).toHaveLength(12);
    expect(items[0]).toMatchObject({ instant: "2026-01-05T10:11:00.000Z", outcome: "fired" });
  });

  test("what was missed or skipped fires, and what is buffered stays", async () => {
    await put("missed", minutes);
    await queryOnce(
      trips.url,
      `insert into state.schedule_fires (schedule, instant, outcome) values
         ('missed', '2026-01-05T10:00Z', 'missed'), ('missed', '2026-01-05T10:01Z', 'skipped'),
         ('missed', '2026-01-05T10:02Z', 'buffered')`,
    );
    const response = await backfill("missed", day("05T10:00:00"), day("05T10:02:00"));
    expect(response.json()).toMatchObject({ fired: [{}, {}], firedBefore: 1 });
    expect((await firesOf("missed")).items).toMatchObject([
      { outcome: "buffered", actor: null },
      { outcome: "fired", actor: "operator:ann", taskId: expect.any(String) },
      { outcome: "fired", actor: "operator:ann", reason: asOperator.reason },
    ]);
  });

  test("two backfills at once submit each instant once", async () => {
    await put("twice", minutes);
    const asked = () => backfill("twice", day("05T10:00:00"), day("05T10:59:00"));
    await Promise.all([asked(), asked(), asked()]);
    const counted = await queryOnce(
      trips.url,
      "select count(*)::int as tasks from state.inbox where submitter = 'schedule:twice'",
    );
    expect(counted).toEqual([{ tasks: 60 }]);
  });

  test("more than a hundred are refused with their number, and ten years at once", async () => {
    await put("years", minutes);
    const hours = await backfill("years", day("05T10:00:00"), day("05T11:59:00"));
    expect([hours.statusCode, problemOf(hours)]).toMatchObject([
      400,
      { code: "schedule.invalid", count: 120, errors: [{ pointer: "/from" }] },
    ]);
    const years = await backfill("years", "2016-01-01T00:00:00Z", "2026-01-01T00:00:00Z");
    expect([years.statusCode, problemOf(years)]).toMatchObject([
      400,
      { code: "schedule.invalid", count: 500 },
    ]);
    expect((await firesOf("years")).items).toEqual([]);
  });

  test.each<[string, string, string, string]>([
    ["the future", "2026-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "/to"],
    ["no time", "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "/from"],
    ["no instant", "yesterday", "2026-01-01T00:00:00Z", "/from"],
    ["an instant without a zone", "2026-01-01T00:00:00", "2026-01-02T00:00:00Z", "/from"],
    ["long ago", "1492-10-12T00:00:00Z", "2026-01-01T00:00:00Z", "/from"],
  ])("nothing is submitted for %s", async (_, from, to, pointer) => {
    await put("never", nightly);
    const response = await backfill("never", from, to);
    expect([response.statusCode, problemOf(response)]).toMatchObject([
      400,
      { code: "schedule.invalid", errors: [{ pointer }] },
    ]);
  });

  test("an instant that the schedule has yet to deal with is left to it", async () => {
    await put("yet", { ...minutes, jitter: 3_600_000 });
    const to = new Date().toISOString();
    const from = new Date(Date.parse((await show("yet")).next) - 60_000).toISOString();
    const { fired } = (await backfill("yet", from, to)).json();
    expect(fired).toEqual([{ instant: from, taskId: expect.any(String) }]);
  });
});

test("fires are listed by pages, the latest first", async () => {
  await put("paged", nightly);
  await queryOnce(
    trips.url,
    `insert into state.schedule_fires (schedule, instant, outcome)
     select 'paged', '2026-01-01Z'::timestamptz + number * interval '1 minute', 'missed'
       from generate_series(1, 7) as number`,
  );
  const whole = (await firesOf("paged")).items;
  expect(whole).toHaveLength(7);
  const first = await firesOf("paged", "?limit=4");
  const second = await firesOf("paged", `?limit=4&after=${first.next}`);
  expect([...first.items, ...second.items]).toEqual(whole);
  expect(second.next).toBeNull();
  const last = await trips.get(path("paged", `/fires?after=${"9".repeat(14)}`));
  expect(last.json().items).toHaveLength(7);
  expect((await trips.get(path("paged", "/fires?after=NaN"))).statusCode).toBe(422);
});

test("what was put is fired by Submission, and shown with its task", async () => {
  await put("fired", { ...nightly, cron: "* * * * *", labels: { region: "eu" } });
  await queryOnce(
    trips.url,
    `update state.schedules set next_instant = date_trunc('minute', now()), due_at = now()
      where id = 'fired'`,
  );
  await using store = await openStateStore({
    url: trips.url,
    applicationName: "test",
    maxConnections: 2,
  });
  const round = { actor: "submission-1", most: 10, latest: null, checksRules: false };
  const { fires } = await store.fireSchedules(round);
  expect(fires).toHaveLength(1);
  const { items } = await firesOf("fired");
  expect(items).toMatchObject([{ outcome: "fired", actor: null, taskId: fires[0]?.taskId }]);
  expect(await show("fired")).toMatchObject({ lastTask: fires[0]?.taskId });
});
