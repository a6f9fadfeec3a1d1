import type { SampleKind } from "@holdfast/orders";
import type { LaunchedProcess, ServiceName } from "@holdfast/processes";
import { expect } from "@jest/globals";
import { allRight, type FaultySystem, until } from "./faulty-system.ts";

/** A failpoint of one process, and what happens there. */
export interface FailpointCase {
  readonly service: ServiceName;
  readonly gap: string;
  /** Which steps count: those that do something, or those that undo it. Null: all. */
  readonly goal: "do" | "undo" | null;
  readonly action: "exit" | "freeze";
}

/** The process dies and freezes in each gap, while steps do something and while they undo it. */
export const failpointCases = (
  service: ServiceName,
  gaps: readonly string[],
  goals: readonly FailpointCase["goal"][] = ["do", "undo"],
): readonly FailpointCase[] =>
  gaps.flatMap((gap) =>
    goals.flatMap((goal) =>
      (["exit", "freeze"] as const).map((action) => ({ service, gap, goal, action })),
    ),
  );

export const settingOf = ({ service, gap, goal, action }: FailpointCase): string =>
  `${service}.${gap}${goal === null ? "" : `@${goal}`}=${action}`;

/** Half of them are fulfilled, half are undone. */
const someOrders: readonly SampleKind[] = ["unshippable", "good", "unshippable", "good"];
/** Times that those orders are submitted where they miss a failpoint again and again. */
const mostBatches = 8;

/**
 * Starts a process with the failpoint beside healthy ones and submits orders until it hits the
 * failpoint. A frozen process goes on once all that it held is overdue. All orders end right,
 * whatever it does then.
 */
export async function survive(
  faulty: FaultySystem,
  failpoint: FailpointCase,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const doomed = await startWithFailpoint(faulty, failpoint, env);
  const ids = await submitUntilHit(faulty, doomed);
  if (failpoint.action === "freeze") await allOverdue(faulty);
  await resume(doomed, failpoint);
  expect(await faulty.verdict(ids)).toEqual(halfFulfilled(ids));
}

export async function submitUntilHit(
  faulty: FaultySystem,
  doomed: LaunchedProcess,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let batches = 1;
  do {
    const some = await faulty.submit(Array.from({ length: batches }, () => someOrders).flat());
    ids.push(...some);
    // Some failpoints are hit only where more waits than Agents can do in time, and the other tests
    // may have ended.
    batches = Math.min(2 * batches, mostBatches);
    await Promise.race([
      until(() => isHit(faulty, doomed)),
      until(() => haveEnded(faulty, some), 250),
    ]);
  } while (!isHit(faulty, doomed));
  return ids;
}

export const halfFulfilled = ({ length }: readonly string[]) =>
  allRight({ processed: length / 2, undone: length / 2 });

/** A process may hit its failpoint before it is ready, because its consumers start first. */
export async function startWithFailpoint(
  faulty: FaultySystem,
  failpoint: FailpointCase,
  env: Readonly<Record<string, string>> = {},
): Promise<LaunchedProcess> {
  const failpoints = { HOLDFAST_FAILPOINTS: settingOf(failpoint) };
  const { process, ready } = faulty.system.launch(failpoint.service, { ...env, ...failpoints });
  await Promise.race([ready.catch(() => {}), until(() => isHit(faulty, process))]);
  return process;
}

/**
 * A frozen process has logged it first; of one that is gone the line may not have been read yet.
 */
export const isHit = ({ log }: FaultySystem, { pid, isRunning }: LaunchedProcess): boolean =>
  !isRunning || log.some((line) => line.msg === "failpoint hit" && line.pid === pid);

async function haveEnded(faulty: FaultySystem, ids: readonly string[]): Promise<boolean> {
  const open = await faulty.query(
    `select 1 from state.tasks where finished_at is null and task_id in ('${ids.join("', '")}')`,
  );
  return open.length === 0;
}

/**
 * Waits for a killed process, or lets a frozen one go on and stops it. It does nothing afterwards.
 */
export async function resume(doomed: LaunchedProcess, { action }: FailpointCase): Promise<void> {
  if (action === "exit") {
    expect(await doomed.exited).toBeNull();
    return;
  }
  doomed.signal("SIGCONT");
  await doomed[Symbol.asyncDispose]();
}

/** Resolves when all that was being processed is overdue: in the store, as its clock counts. */
export const allOverdue = (faulty: FaultySystem): Promise<unknown> =>
  faulty.query(`select pg_sleep(extract(epoch from max(complete_by) - clock_timestamp()))
    from state.steps where process_state = 'processing'`);
