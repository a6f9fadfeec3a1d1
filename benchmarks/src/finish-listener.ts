import { Client } from "pg";

/** The correlation id of orders whose end the store reports. */
export const watched = "bench.watched";

/**
 * Reports orders that are marked and no others, so that none of these takes time for it. Asking
 * again and again would take it from those who work on the order.
 */
const trigger = `
  create function public.tell_bench() returns trigger language plpgsql as $$
  begin
    perform pg_notify('bench_finished', new.task_id::text);
    return null;
  end
  $$;
  create trigger tell_bench after update on state.tasks for each row
    when (new.correlation_id = '${watched}' and old.finished_at is null and new.finished_at is not null)
    execute function public.tell_bench();
  listen bench_finished`;

/** Has the store notify a listener when a watched task is finished, and that is committed. */
export async function finishListener(owner: AsyncDisposableStack, databaseUrl: string) {
  const finished = new Set<string>();
  const waiting = new Map<string, () => void>();
  const client = new Client({ connectionString: databaseUrl, application_name: "bench listener" });
  client.on("notification", ({ payload = "" }) => {
    const resolve = waiting.get(payload);
    waiting.delete(payload);
    if (resolve === undefined) finished.add(payload);
    else resolve();
  });
  await client.connect();
  owner.defer(() => client.end());
  await client.query(trigger);
  return (taskId: string): Promise<void> =>
    new Promise((resolve) => {
      if (finished.delete(taskId)) resolve();
      else waiting.set(taskId, resolve);
    });
}
