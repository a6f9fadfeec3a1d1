import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { readMigrations } from "../src/migrate/migration-files.ts";

/** The schema that all migrations of releases begin with. */
export const firstMigration = "0001_holdfast";

/**
 * Migrations as later releases may bring them, with numbers that no release reaches: one of each
 * kind, on the tables of this release. They show what the runner of migrations can do while a store
 * is at work.
 */
export const rehearsal: readonly string[] = [
  fileURLToPath(new URL("./rehearsal", import.meta.url)),
];

/** Migrations that run after the first one: the others of this release, and the rehearsal. */
export const later = readMigrations(rehearsal).filter(({ name }) => name > firstMigration);

/** The rehearsal alone. */
export const rehearsed = readMigrations(rehearsal)
  .map(({ name }) => name)
  .filter((name) => name.startsWith("9"));

export async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** How many tasks a store that is filled has. */
export const tasks = 2_000;

/** Fills each table that a rehearsal migration changes. */
export const fill = `
  insert into state.tasks (task_id, workflow, process_state, finished_at)
  select state.new_task_id(), 'test.v1', 'processed', now() from generate_series(1, ${tasks});
  insert into state.task_payloads select task_id, '{"x": 1}' from state.tasks;
  insert into state.steps (task_id, name, kind, lane, process_state, attempt, admitted, start_within,
                           complete_within)
  select task_id, name, 'call', 'agent', 'processed', 1, true, 30000, 5000
    from state.tasks cross join unnest(array['a', 'b']) as name;
  insert into state.step_payloads (task_id, name, output) select task_id, name, '{}' from state.steps;
  insert into state.events (task_id, action, to_state, actor)
  select task_id, 'submit', 'pending', 'x' from state.tasks;
  insert into state.submissions
  select 'default', task_id::text, 'x', task_id, now() + interval '1 day' from state.tasks;
  insert into state.outbox (subject, channel, seq, body) select task_id, 'event', 1, '{}' from state.tasks;
  insert into state.known_agents (agent) select 'agent-' || number from generate_series(1, ${tasks}) as number;
  analyze`;
