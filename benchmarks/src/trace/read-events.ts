import { queryOnce } from "@holdfast/local-stack";

interface Event {
  /** Task, step and action, with colons between. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** When each step was claimed and recorded, by the store's clock, which is this machine's. */
export async function readEvents(
  databaseUrl: string,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = taskIds.map((id) => `'${id}'`).join(", ");
  const rows = await queryOnce<Event>(
    databaseUrl,
    `select concat_ws(':', task_id, step, action) as key,
            (extract(epoch from at) * 1000)::float8 as at
       from state.events
      where task_id in (${ids}) and action in ('claim', 'complete')`,
  );
  return new Map(rows.map(({ key, at }) => [key, at]));
}
