import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./faulty-system.ts";

/** Makes the store look as if it had been made four months ago. */
const beginEarlier = `
  do $$
  declare
    parent text;
    month  date;
  begin
    for month in select partitions.month from state.partitions loop
      foreach parent in array state.partitioned_tables() loop
        execute 'drop table ' || state.partition_of(parent, month);
      end loop;
    end loop;
    perform state.make_partition((state.month_of(clock_timestamp()) - interval '4 months')::date);
    perform state.make_partitions();
  end
  $$`;

/** The code of Postgres for a transaction that was rolled back because of another one's locks. */
const deadlock = "40P01";

const partitioned = ["task_payloads", "step_payloads", "events"];
const tables = ["tasks", "steps", ...partitioned];

/**
 * Makes all that is over look as if it had been submitted, and had ended, three months ago. At
 * once: empty months go.
 */
const moveBack = `
  begin;
  set local session_replication_role = replica;
  ${partitioned.map((table) => `create temporary table kept_${table} as table state.${table};`).join("\n")}
  ${beginEarlier};
  ${partitioned.map((table) => `insert into state.${table} overriding system value table kept_${table};`).join("\n")}
  update state.tasks set finished_at = finished_at - interval '95 days';
  ${tables.map((table) => `update state.${table} set task_id = overlay(task_id::text placing left(state.first_id_of(now() - interval '95 days')::text, 13) from 1 for 13)::uuid;`).join("\n")}
  commit`;

test("a Supervisor with a retention setting deletes older orders, while new orders are processed", async () => {
  await using faulty = await startFaultySystem({
    env: { supervisor: { RETENTION: "7d", SWEEP_INTERVAL: "1s" } },
  });
  const old = await faulty.submit(["good", "declined"]);
  expect(await faulty.verdict(old)).toEqual(allRight({ processed: 1, undone: 1 }));
  // The services go on: what they lock meanwhile, in another order, may have it rolled back as a
  // whole.
  await until(() =>
    faulty.query(moveBack).then(
      () => true,
      (error: unknown) => {
        if ((error as { readonly code?: unknown }).code === deadlock) return false;
        throw error;
      },
    ),
  );
  const orders = await faulty.submit(["good", "good", "declined"]);
  expect(await faulty.verdict(orders)).toEqual(allRight({ processed: 2, undone: 1 }));

  // Last month may be too young to go; the one of the old orders is not. Months without orders may
  // go sooner.
  const older = `select month from state.partitions
                  where month < state.month_of(clock_timestamp() - interval '1 month')`;
  await until(async () => (await faulty.query(older)).length === 0);
  for (const table of tables) {
    const [found] = await faulty.query<{ tasks: number }>(
      `select count(distinct task_id)::integer as tasks from state.${table}`,
    );
    expect([table, found?.tasks]).toEqual([table, orders.length]);
  }
});
