import { scheduleFaults, wholeSchedule } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { payments } from "../test/fixtures.ts";
import { collectWorkflows } from "./collect-workflows.ts";
import { defineSchedule, type ScheduleOptions, scheduledAt } from "./define-schedule.ts";
import { defineWorkflow } from "./define-workflow.ts";
import { concat } from "./expressions.ts";
import { refTo } from "./ref.ts";

const Night = z.object({
  day: z.iso.date(),
  region: z.enum(["eu", "us"]),
  note: z.string().optional(),
});
const settle = defineWorkflow("settle.v3", Night, (_night, step) => {
  const price = { amount: 1, currency: "EUR" };
  step("assess", { call: payments.assess({ price }), completeWithin: "1s" });
});
const nightly = {
  workflow: settle,
  cron: "30 2 * * *",
  zone: "Europe/Budapest",
  input: { day: scheduledAt("date"), region: "eu" },
} as const satisfies ScheduleOptions<typeof Night>;

test("a schedule is written down as it is stored, and says nothing that its author does not say", () => {
  expect(defineSchedule("settle-night", nightly)).toEqual({
    id: "settle-night",
    definition: {
      workflow: "settle",
      cron: "30 2 * * *",
      zone: "Europe/Budapest",
      input: { day: { $ref: "/schedule/date" }, region: "eu" },
    },
  });
});

test("what an author says of a schedule is stored with it, a jitter in milliseconds", () => {
  const said = {
    overlap: "bufferOne",
    catchUp: "all",
    pauseAfterFailures: 3,
    priority: "batch",
    labels: { team: "books" },
  } as const;
  const { definition } = defineSchedule("settle-night", { ...nightly, ...said, jitter: "5m" });
  expect(definition).toMatchObject({ ...said, jitter: 300_000 });
  expect(scheduleFaults(wholeSchedule(definition), Date.now())).toEqual([]);
});

test("the instant stands in an input as a whole, in parts, and in texts that are made of it", () => {
  const input = {
    day: scheduledAt("date"),
    region: "us",
    note: concat(scheduledAt("id"), " at ", scheduledAt("time"), " of ", scheduledAt("at")),
  } as const;
  expect(defineSchedule("night", { ...nightly, input }).definition.input).toEqual({
    day: { $ref: "/schedule/date" },
    region: "us",
    note: {
      $concat: [
        { $ref: "/schedule/id" },
        " at ",
        { $ref: "/schedule/time" },
        " of ",
        { $ref: "/schedule/at" },
      ],
    },
  });
});

type Wrong = Readonly<Record<keyof ScheduleOptions, unknown>>;

test.each<readonly [what: string, id: string, options: Partial<Wrong>, why: RegExp]>([
  ["id", "settle night", {}, /^settle night: not a usable id: it must match \^/],
  ["zone that is none", "n", { zone: "Mars/Base" }, /^n: zone must be the IANA name .*Mars\/Base/],
  ["zone that is an offset", "n", { zone: "+02:00" }, /^n: zone must be the IANA name/],
  ["zone that is left out", "n", { zone: undefined }, /^n: zone /],
  ["cron of six fields", "n", { cron: "0 30 2 * * *" }, /^n: cron must be five fields/],
  ["cron that never fires", "n", { cron: "0 0 30 2 *" }, /^n: cron never comes/],
  ["jitter that is no duration", "n", { jitter: "5 minutes" }, /^n: jitter is 5 minutes, which/],
  ["jitter of more than an hour", "n", { jitter: "2h" }, /^n: jitter must be <= 3600000/],
  ["overlap that there is not", "n", { overlap: "wait" }, /^n: overlap .*"bufferOne"/],
  ["number of failures", "n", { pauseAfterFailures: 0 }, /^n: pauseAfterFailures must be >= 1/],
  ["workflow by its name", "n", { workflow: "settle.v3" }, /^n: workflow must be what/],
  ["input that is no JSON", "n", { input: { day: new Date(0) } }, /^n: input: at \/day: a Date is/],
  [
    "ref of a task",
    "n",
    { input: { day: refTo("/input/day") } },
    /^n: input refers to "?\/input\/day"?, and can refer to \/schedule\/at, \/schedule\/date/,
  ],
  [
    "input that lacks a field",
    "n",
    { input: { day: scheduledAt("date") } },
    /^n: input\/region is missing, as settle\.v3 takes it$/,
  ],
  [
    "part of the instant that is another than is taken",
    "n",
    { input: { ...nightly.input, day: scheduledAt("at") } },
    /^n: input\/day must match/,
  ],
])("a schedule is refused for a wrong %s, with what is meant", (_, id, options, why) => {
  const wrong = { ...nightly, ...options } as unknown as ScheduleOptions<typeof Night>;
  const define = () => defineSchedule(id, wrong);
  expect(define).toThrow(expect.objectContaining({ code: "schedule.invalid" }));
  expect(define).toThrow(why);
});

test("each mistake of a schedule has a line of its own", () => {
  const wrong = { ...nightly, cron: "x", input: { ...nightly.input, day: refTo<string>("/x") } };
  expect(() => defineSchedule("n", wrong)).toThrow(/^n: cron .*\nn: input refers to "?\/x/);
});

test("a schedule whose input is of another workflow does not compile", () => {
  // @ts-expect-error: a region is one of two
  expect(() => defineSchedule("n", { ...nightly, input: { ...nightly.input, region: "x" } }))
    // What does not compile is refused at run time as well.
    .toThrow(/input\/region/);
  // @ts-expect-error: the day is missing
  expect(() => defineSchedule("n", { ...nightly, input: { region: "eu" } })).toThrow(/input\/day/);
});

const collect = (load: () => object) =>
  collectWorkflows(
    async () => load(),
    (definition) => definition,
  );

test("the schedules of a module are collected beside its workflows, and what is refused does not fail them", async () => {
  const { definitions, schedules, refused } = await collect(() => ({
    settle,
    night: defineSchedule("night", nightly),
    wrong: defineSchedule("wrong", { ...nightly, zone: "Mars/Base" }),
    again: defineSchedule("night", { ...nightly, cron: "0 3 * * *" }),
  }));
  expect(definitions).toEqual([settle.definition]);
  expect(schedules).toEqual([defineSchedule("night", nightly)]);
  expect(refused).toMatchObject([
    { kind: "schedule", name: "wrong", error: { message: expect.stringMatching(/^wrong: zone/) } },
    { kind: "schedule", name: "night", error: { message: expect.stringMatching(/has this id/) } },
  ]);
});

test("a schedule of a workflow that is refused is refused with it", async () => {
  const { schedules, refused } = await collect(() => {
    const odd = defineWorkflow("odd.v1", Night, () => {
      throw new TypeError("no such thing");
    });
    return { night: defineSchedule("night", { ...nightly, workflow: odd }) };
  });
  expect(schedules).toEqual([]);
  expect(refused).toMatchObject([
    { kind: "workflow", name: "odd.v1" },
    {
      kind: "schedule",
      name: "night",
      error: { message: "night: the workflow odd.v1 is refused: no such thing" },
    },
  ]);
});
