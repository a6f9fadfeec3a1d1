import { seededRandom } from "@holdfast/runtime";
import { Client } from "pg";
import type { TestStore } from "./fixtures.ts";

/**
 * Transactions that write random histories, of which some commit late and some never, for tests.
 */
export interface Histories extends AsyncDisposable {
  /** Begins a transaction or goes on with one: writes rows, commits or rolls back, at random. */
  act(): Promise<void>;
  /** Commits what is open. */
  end(): Promise<void>;
}

const actions = ["claim", "complete", "retry", "fail", "requeue", "plan"] as const;
const ends = ["processing", "halted", "processed", "undone"] as const;

interface Writer {
  readonly client: Client;
  isOpen: boolean;
}

export async function openHistories(db: TestStore, seed: number): Promise<Histories> {
  const random = seededRandom(seed);
  const dice = diceOf(random);
  const { below, pick } = dice;
  const writers: Writer[] = [];
  for (let number = 0; number < 4; number += 1) {
    const client = new Client({ connectionString: db.url });
    await client.connect();
    writers.push({ client, isOpen: false });
  }

  const act = async (writer: Writer): Promise<void> => {
    const { client } = writer;
    if (!writer.isOpen) await client.query("begin");
    writer.isOpen = true;
    const what = below(10);
    // As applications do that submit tasks in transactions of their own.
    if (what < 2) await client.query("savepoint one");
    if (what < 7) await writer.client.query(taskSql(dice));
    if (what === 0) await client.query("rollback to savepoint one");
    if (what < 5) return;
    await client.query(what === 9 ? "rollback" : "commit");
    writer.isOpen = false;
  };

  return {
    act: () => act(pick(writers)),
    async end() {
      for (const writer of writers) {
        if (writer.isOpen) await writer.client.query("commit");
        writer.isOpen = false;
      }
    },
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(writers.map(({ client }) => client.end()))),
  };
}

type Dice = ReturnType<typeof diceOf>;

function diceOf(random: () => number) {
  const below = (most: number): number => Math.floor(random() * most);
  return { below, pick: <T>(all: readonly T[]): T => all[below(all.length)]! };
}

/** A task, its steps and some rows of its history, in one statement. */
function taskSql({ below, pick }: Dice): string {
  const workflow = pick(["a.v1", "b.v1"]);
  const at = `timestamptz '2026-11-24T10:00:00Z' + interval '1 second' * ${below(200_000)}`;
  const rows = Array.from({ length: 1 + below(5) }, () => {
    if (below(3) === 0)
      return `(null, 'summarise', 'processing', '${pick(ends)}', null::integer, ${pick(["null", "'task.expired'"])}, ${at})`;
    return `('${pick(["s", "s:undo"])}', '${pick(actions)}', 'processing', 'pending', ${below(3)}, 'x.failed', ${at})`;
  });
  return `with task as (
         insert into state.tasks (task_id, workflow, process_state, created_at)
         values (state.new_task_id(), '${workflow}', '${pick(["pending", "halted"])}', '2026-11-24T09:59:50Z')
         returning task_id
       ),
       steps as (
         insert into state.steps (task_id, name, kind, lane, process_state, admitted, start_within, complete_within)
         select task_id, name, kind, 'hotels', 'waiting', true, 1, 1
           from task cross join (values ('s', 'call'), ('s:undo', 'undo')) as step (name, kind)
       )
       insert into state.events (task_id, step, action, from_state, to_state, attempt, reason, at, actor)
       select task_id, step, action, from_state, to_state, attempt, reason, at, 'test'
         from task
        cross join (values (null::text, 'submit', null::text, 'pending', null::integer, null::text, ${at}), ${rows.join()})
           as event (step, action, from_state, to_state, attempt, reason, at)`;
}
