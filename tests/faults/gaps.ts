import type { LaunchedProcess, ServiceName } from "@holdfast/local-system";
import type { SampleKind } from "@holdfast/orders";
import { expect } from "@jest/globals";
import { allRight, type FaultySystem, until } from "./harness.ts";

/** A trap in one gap of one process. */
export interface Trap {
  readonly service: ServiceName;
  readonly gap: string;
  /** What it waits for: a step that does something, or one that undoes it. Null: for nothing. */
  readonly goal: "do" | "undo" | null;
  readonly action: "exit" | "freeze";
}

/** Dying and freezing in each gap, on the way there and on the way back. */
export const trapsIn = (
  service: ServiceName,
  gaps: readonly string[],
  goals: readonly Trap["goal"][] = ["do", "undo"],
): readonly Trap[] =>
  gaps.flatMap((gap) =>
    goals.flatMap((goal) =>
      (["exit", "freeze"] as const).map((action) => ({ service, gap, goal, action })),
    ),
  );

export const nameOfTrap = ({ service, gap, goal, action }: Trap): string =>
  `${service}.${gap}${goal === null ? "" : `@${goal}`}=${action}`;

/** Half of them are fulfilled, half are undone. */
const someOrders: readonly SampleKind[] = ["unshippable", "good", "unshippable", "good"];

/**
 * Starts a process with the trap beside those that are well, submits orders until it has sprung, and
 * has a frozen one go on once all that it held is overdue. All orders end right, whatever it does then.
 */
export async function survive(
  faulty: FaultySystem,
  trap: Trap,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const doomed = await startTrapped(faulty, trap, env);
  const ids = await submitUntilSprung(faulty, doomed);
  if (trap.action === "freeze") await allOverdue(faulty);
  await comeBack(doomed, trap);
  expect(await faulty.verdict(ids)).toEqual(rightly(ids));
}

export async function submitUntilSprung(
  faulty: FaultySystem,
  doomed: LaunchedProcess,
): Promise<readonly string[]> {
  const ids: string[] = [];
  do {
    const some = await faulty.submit(someOrders);
    ids.push(...some);
    await Promise.race([
      until(() => hasSprung(faulty, doomed)),
      until(() => haveEnded(faulty, some), 250),
    ]);
  } while (!hasSprung(faulty, doomed));
  return ids;
}

export const rightly = ({ length }: readonly string[]) =>
  allRight({ processed: length / 2, undone: length / 2 });

/** Some traps spring before the process is ready: its consumers come first. */
export async function startTrapped(
  faulty: FaultySystem,
  trap: Trap,
  env: Readonly<Record<string, string>> = {},
): Promise<LaunchedProcess> {
  const traps = { HOLDFAST_FAILPOINTS: nameOfTrap(trap) };
  const { process, ready } = faulty.system.launch(trap.service, { ...env, ...traps });
  await Promise.race([ready.catch(() => {}), until(() => hasSprung(faulty, process))]);
  return process;
}

/** A frozen process has said so first; one that is gone may have been too quick for its reader. */
export const hasSprung = ({ log }: FaultySystem, { pid, isRunning }: LaunchedProcess): boolean =>
  !isRunning || log.some((line) => line.msg === "trap sprung" && line.pid === pid);

async function haveEnded(faulty: FaultySystem, ids: readonly string[]): Promise<boolean> {
  const open = await faulty.query(
    `select 1 from state.tasks where finished_at is null and task_id in ('${ids.join("', '")}')`,
  );
  return open.length === 0;
}

/** After this a process has said and done all that it ever will. */
export async function comeBack(doomed: LaunchedProcess, { action }: Trap): Promise<void> {
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
