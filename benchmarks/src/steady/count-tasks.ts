import { queryOnce } from "@holdfast/local-stack";

/** How many tasks there are for which an SQL condition holds. */
export async function countTasks(url: string, condition: string): Promise<number> {
  const [counted] = await queryOnce<{ tasks: number }>(
    url,
    `select count(*)::float8 as tasks from state.tasks where ${condition}`,
  );
  return counted?.tasks ?? Number.NaN;
}
