import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase, queryOnce } from "@holdfast/local-stack";
import { migrate, type StateStore } from "@holdfast/state-store";
import { startHoldfast } from "../start-holdfast.ts";
import { signalledStep } from "../workflow.ts";
import type { PowerContext, ScheduleFigures } from "./report.ts";

const schedules = 10_000;
/** Schedules that are stored at the same time. */
const atOnce = 20;
/** Milliseconds between two looks. */
const lookEvery = 200;
/** How far ahead their instant is when it is set: longer than a process looks away. */
const ahead = "8 seconds";

/**
 * Measures how long after an instant the last of all schedules has fired for which it is, and its
 * task is made, by one process. Throws if one fired twice or not at all, or left a broken
 * invariant.
 */
export async function measureSchedules({
  serverUrl,
  brokerUrl,
  options: { without },
  say,
}: PowerContext): Promise<ScheduleFigures> {
  await using owner = new AsyncDisposableStack();
  const { url } = owner.use(await createDatabase(serverUrl));
  await migrate(url);
  const { store } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl,
    workflow: signalledStep.definition,
    agents: { count: 0 },
    submissions: 1,
    without,
  });
  await putAll(store);
  await queryOnce(
    url,
    `with instant as (select date_trunc('second', clock_timestamp()) + interval '${ahead}' as at)
     update state.schedules set next_instant = at, due_at = at from instant`,
  );
  await queryOnce(url, "vacuum analyze state.schedules");
  const made = () =>
    queryOnce<{ tasks: number }>(url, "select count(*)::float8 as tasks from state.tasks");
  while ((await made())[0]!.tasks < schedules) await sleep(lookEvery);
  const [found] = await queryOnce<{ fired: number; seconds: number; taskSeconds: number }>(
    url,
    `select count(*) filter (where outcome = 'fired')::float8 as fired,
            extract(epoch from max(schedule_fires.at) - max(instant))::float8 as seconds,
            extract(epoch from max(created_at) - max(instant))::float8 as "taskSeconds"
       from state.schedule_fires join state.tasks using (task_id)`,
  );
  const { fired = 0, seconds = Number.NaN, taskSeconds = Number.NaN } = found ?? {};
  if (fired !== schedules) throw new Error(`${fired} schedules fired, and not ${schedules}`);
  const [violation] = await store.findInvariantViolations({ batch: 1 });
  if (violation !== undefined) throw new Error(`Broken invariant: ${violation.invariant}`);
  say(
    `${schedules} schedules fired in ${seconds.toFixed(1)} s, and were tasks after ${taskSeconds.toFixed(1)} s`,
  );
  return { schedules, seconds, taskSeconds };
}

/** Stores schedules that come once a year. */
async function putAll(store: StateStore): Promise<void> {
  const left = Array.from({ length: schedules }, (_, number) => `bench-${number}`);
  const schedule = {
    workflow: signalledStep.name,
    cron: "0 0 1 1 *",
    zone: "Europe/Budapest",
    input: { id: { $ref: "/schedule/id" }, padding: { $ref: "/schedule/at" } },
  };
  const putNext = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      await store.putSchedule({ id, schedule, actor: "bench" });
  };
  await Promise.all(Array.from({ length: atOnce }, putNext));
}
