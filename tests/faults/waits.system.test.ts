import { newTask } from "@holdfast/load";
import { expect, test } from "@jest/globals";
import { type FaultySystem, startFaultySystem, temporaryFolder, until } from "./faulty-system.ts";
import { killEachSecond } from "./kill-each-second.ts";
import { readEffects, restingFor, rests } from "./rested-agents.ts";

const tasks = 200;
/** Milliseconds: processes are started all the time. */
const longest = 300_000;

/**
 * Keeps a record of all waits, by the clock of the store: what Holdfast itself knows of a wait is
 * gone once it has ended.
 */
const record = `
  create table public.recorded_waits (
    task_id  uuid primary key,
    deadline timestamptz not null,
    ended_at timestamptz
  );
  create function public.record_wait() returns trigger language plpgsql security definer as $$
  begin
    if tg_op = 'INSERT' then
      insert into public.recorded_waits values (new.task_id, new.deadline);
    else
      update public.recorded_waits set ended_at = clock_timestamp() where task_id = old.task_id;
    end if;
    return null;
  end
  $$;
  create trigger record_wait after insert or delete on state.waits
     for each row execute function public.record_wait()`;

const unfinished = "select from state.tasks where finished_at is null limit 1";

async function submitAll({ store }: FaultySystem): Promise<void> {
  for (const seconds of rests) await store.registerWorkflow(restingFor(seconds));
  const orders = Array.from({ length: tasks }, (_, index) =>
    newTask({
      workflow: `resting-${rests[index % rests.length]}.v1`,
      input: { order: String(index) },
    }),
  );
  await store.submitTasks(orders, { actor: "test" });
}

/** Undoes tasks while they await, until there were enough, or none is left. */
async function undoSome(faulty: FaultySystem, enough: number): Promise<readonly string[]> {
  const undone: string[] = [];
  await until(async () => {
    const waiting = await faulty.query<{ id: string }>(
      `select task_id as id from state.waits join state.tasks using (task_id)
        where workflow in ('resting-4.v1', 'resting-5.v1') order by opened_at desc limit 10`,
    );
    for (const { id: taskId } of waiting.slice(0, enough - undone.length)) {
      const event = { kind: "undoRequested", code: "operator.cancel" } as const;
      const { outcomes } = await faulty.store.applyEvents([{ taskId, event }], { actor: "ann" });
      if (outcomes[0]?.applied === true) undone.push(taskId);
    }
    return undone.length >= enough || (await faulty.query(unfinished)).length === 0;
  });
  return undone;
}

test(
  "200 waits end once and not before their time while Schedulers are killed each second, or at once by an undo",
  async () => {
    await using folder = await temporaryFolder();
    await using faulty = await startFaultySystem({
      apart: ["scheduler", "agent"],
      count: { scheduler: 3, partners: 0 },
      env: {
        agent: {
          AGENT_MODULES: "./tests/faults/rested-agents.ts",
          AGENT_NAMES: "inventory",
          LEDGER: folder.path,
        },
      },
    });
    await faulty.query(record);
    await using killer = killEachSecond(faulty, ["scheduler"]);
    await submitAll(faulty);
    const undone = await undoSome(faulty, 30);
    await until(async () => (await faulty.query(unfinished)).length === 0, 100);

    expect(killer.kills()).toBeGreaterThan(3);
    const [counted] = await faulty.query(
      `select count(*)::int as waits, count(ended_at)::int as ended, count(fired)::int as fired,
              count(*) filter (where times > 1)::int as twice,
              count(*) filter (where fired and ended_at < deadline)::int as early,
              count(cancelled)::int as cancelled
         from public.recorded_waits
         left join lateral (
           select nullif(bool_or(action = 'fire'), false) as fired,
                  nullif(bool_or(action = 'cancel' and from_state = 'awaiting'), false) as cancelled,
                  count(*) as times
             from state.events
            where events.task_id = recorded_waits.task_id and step = 'rest'
              and from_state = 'awaiting') as history on true`,
    );
    const cancelled = (counted as { cancelled: number }).cancelled;
    expect(cancelled).toBeGreaterThan(0);
    expect(counted).toMatchObject({ waits: tasks, ended: tasks, fired: tasks - cancelled });
    expect(counted).toMatchObject({ twice: 0, early: 0 });
    expect(await faulty.query("select from state.waits")).toEqual([]);
    const states = await faulty.query(
      `select process_state as state, count(*)::int as count from state.tasks
        group by process_state order by process_state`,
    );
    expect(states).toEqual([
      { state: "processed", count: tasks - undone.length },
      { state: "undone", count: undone.length },
    ]);
    const done = await faulty.query<{ id: string }>(
      "select task_id as id from state.tasks where process_state = 'processed'",
    );
    expect(await readEffects(folder.path)).toEqual(
      done.flatMap(({ id }) => [`bill ${id}`, `hold ${id}`]).toSorted(),
    );
    expect(await faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
  longest,
);
