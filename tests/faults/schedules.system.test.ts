import type { Schedule } from "@holdfast/contracts";
import { defineWorkflow } from "@holdfast/workflow";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { failpointCases, isHit, resume, settingOf, startWithFailpoint } from "./failpoint-cases.ts";
import { type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { killEachSecond } from "./kill-each-second.ts";

const schedules = 20;
/** The instants of each. */
const instants = 20;
/** Milliseconds: processes are started all the time. */
const longest = 300_000;

/** A workflow without Agents. */
const resting = defineWorkflow(
  "resting.v1",
  z.object({ at: z.string(), by: z.string() }),
  (_, step) => step.sleep("rest", { for: "1s" }),
).definition;

const schedule: Schedule = {
  workflow: "resting",
  // Its instants are set by the test.
  cron: "0 0 1 1 *",
  zone: "UTC",
  input: { at: { $ref: "/schedule/at" }, by: { $ref: "/schedule/id" } },
  overlap: "allow",
};

/** Stores schedules that come once a year. */
async function store(faulty: FaultySystem, many: number): Promise<void> {
  await faulty.store.registerWorkflow(resting);
  for (let number = 0; number < many; number += 1)
    await faulty.store.putSchedule({ id: `s-${number}`, schedule, actor: "test" });
}

/**
 * Has each schedule that is through with its last instant be at the next one, minute by minute,
 * until each had so many. Returns whether they had.
 */
async function comeNext(faulty: FaultySystem, most: number): Promise<boolean> {
  const [row] = await faulty.query<{ left: number }>(
    `with had as (
       select id, count(schedule)::int as fires
         from state.schedules left join state.schedule_fires on schedule = id
        group by id
     ),
     come as (
       update state.schedules
          set next_instant = date_trunc('minute', now()) - interval '1 day' + fires * interval '1 minute',
              due_at       = now()
         from had
        where had.id = schedules.id and fires < ${most} and due_at > now() + interval '1 hour'
     )
     select count(*) filter (where fires < ${most})::int as left from had`,
  );
  return row!.left === 0;
}

interface Counted {
  readonly fires: number;
  readonly fired: number;
  readonly tasks: number;
  readonly inputs: number;
  readonly ended: number;
}

/** What fired, and which tasks came of it. */
async function count(faulty: FaultySystem): Promise<Counted> {
  const [row] = await faulty.query<Counted>(
    `select (select count(*)::int from state.schedule_fires) as fires,
            (select count(*)::int from state.schedule_fires where outcome = 'fired') as fired,
            count(*)::int as tasks,
            count(distinct input::text)::int as inputs,
            count(finished_at)::int as ended
       from state.tasks join state.task_payloads using (task_id)
       join state.schedule_fires using (task_id)`,
  );
  return row!;
}

const noneLeft = async (faulty: FaultySystem): Promise<void> => {
  const open =
    "select from state.inbox union all select from state.tasks where finished_at is null";
  await until(async () => (await faulty.query(open)).length === 0, 100);
  expect(await faulty.query("select from state.refusals")).toEqual([]);
  expect(
    await faulty.query(
      "select from state.tasks where task_id not in (select task_id from state.schedule_fires)",
    ),
  ).toEqual([]);
  expect(await faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
};

/** Has all instants come, each once the one before it was dealt with. */
async function killWhileFiring(faulty: FaultySystem): Promise<void> {
  await using killer = killEachSecond(faulty, ["submission"]);
  await until(() => comeNext(faulty, instants), 20);
  await until(async () => killer.kills() > 5, 100);
}

test(
  "400 instants of 20 schedules fire once each, and each has its task, while submission is killed each second",
  async () => {
    await using faulty = await startFaultySystem({
      apart: ["submission"],
      count: { submission: 2, agent: 0, partners: 0 },
    });
    await store(faulty, schedules);
    await killWhileFiring(faulty);
    await faulty.system.start("submission");
    await noneLeft(faulty);
    const all = schedules * instants;
    expect(await count(faulty)).toEqual({
      fires: all,
      fired: all,
      tasks: all,
      inputs: all,
      ended: all,
    });
  },
  longest,
);

const cases = failpointCases(
  "submission",
  ["firing", "fired", "accepting", "accepted"],
  [null],
).map((failpoint) => ({ name: settingOf(failpoint), failpoint }));

test.each(cases)(
  "$name: what fires has one task each, though the process that fired it is gone or stands still",
  async ({ failpoint }) => {
    await using faulty = await startFaultySystem({
      apart: ["submission"],
      count: { submission: 0, agent: 0, partners: 0 },
    });
    await store(faulty, schedules);
    await comeNext(faulty, 1);
    const doomed = await startWithFailpoint(faulty, failpoint);
    await until(() => isHit(faulty, doomed));
    await faulty.system.start("submission");
    const fired = "select from state.schedule_fires where outcome = 'fired'";
    await until(async () => (await faulty.query(fired)).length === schedules);
    // What the other one has in its hands is free again once its lease has ended.
    await faulty.query("update state.inbox set leased_until = null");
    await noneLeft(faulty);
    await resume(doomed, failpoint);
    await noneLeft(faulty);
    const all = schedules;
    expect(await count(faulty)).toEqual({
      fires: all,
      fired: all,
      tasks: all,
      inputs: all,
      ended: all,
    });
  },
  longest,
);
