import { setTimeout as sleep } from "node:timers/promises";
import { judgeOrders, judgeSubmitted } from "@holdfast/load";
import { queryOnce } from "@holdfast/local-stack";
import { openStore } from "@holdfast/processes";
import type { Load } from "./load-orders.ts";
import type { Run } from "./phases.ts";
import type { UpgradeReport } from "./upgrade-report.ts";

/**
 * Milliseconds: a step that lost its reply in the last kill is retried, and one that failed often
 * waits two minutes.
 */
const endedWithin = 5 * 60_000;
const interval = 500;

interface Standing {
  readonly tasks: number;
  readonly open: number;
  readonly inbox: number;
}

/**
 * Waits until each accepted order is a task that has ended or halted; in vain after some minutes.
 */
export async function untilAllEnded(stateStoreUrl: string, accepted: number): Promise<void> {
  const giveUpAt = performance.now() + endedWithin;
  while (performance.now() < giveUpAt) {
    const [found] = await queryOnce<Standing>(
      stateStoreUrl,
      `select count(*)::integer as tasks,
              (count(*) filter (where process_state not in ('processed', 'undone', 'halted')))::integer as open,
              (select count(*) from state.inbox)::integer as inbox
         from state.tasks`,
    );
    if (found !== undefined && found.open + found.inbox === 0 && found.tasks >= accepted) return;
    await sleep(interval);
  }
}

interface JudgeOptions {
  /** What idempotency keys begin with. */
  readonly name: string;
  readonly load: Load;
  readonly partnersUrl: string;
  /** The workflow that only the release before stored. */
  readonly keptWorkflow: string;
  /** When the services of this release had taken over. */
  readonly upgradedAt: number;
}

type Judged = Pick<
  UpgradeReport,
  | "processed"
  | "undone"
  | "halted"
  | "open"
  | "lost"
  | "doubled"
  | "deadLetters"
  | "violations"
  | "carriedOver"
  | "carriedBack"
  | "ofKeptWorkflow"
  | "witnesses"
>;

/** Judges by the store, the API and the partners' ledgers what became of the orders. */
export async function judgeRun(
  { fleet, from, to, stateStoreUrl }: Pick<Run, "fleet" | "from" | "to" | "stateStoreUrl">,
  { name, load, partnersUrl, keptWorkflow, upgradedAt }: JudgeOptions,
): Promise<Judged> {
  const ids = await taskIds(stateStoreUrl);
  const [submissionUrl = ""] = fleet.urlsOf("submission");
  await using store = await openStore({
    url: stateStoreUrl,
    applicationName: "upgrade",
    maxConnections: 1,
  });
  const verdict = await judgeOrders({ submissionUrl, partnersUrl, store }, ids);
  const { wrong } = await judgeSubmitted(stateStoreUrl, name, load.accepted);
  const surplus = Math.max(0, ids.length - load.accepted.length);
  const instancesOf = (release: object) =>
    [...fleet.instances].flatMap(([instance, its]) => (its === release ? [instance] : []));
  const [before, here] = [instancesOf(from), instancesOf(to)];
  const letters = await deadLetters(stateStoreUrl);
  return {
    processed: verdict.processed,
    undone: verdict.undone,
    halted: verdict.halted,
    open: verdict.open,
    lost: verdict.lost + wrong.length,
    doubled: verdict.doubled + surplus,
    deadLetters: letters.length,
    violations: verdict.violations.length,
    carriedOver: await carried(stateStoreUrl, [before, here]),
    carriedBack: await carried(stateStoreUrl, [here, before]),
    ofKeptWorkflow: await tasksOf(stateStoreUrl, keptWorkflow, upgradedAt),
    witnesses: [
      ...load.refused,
      ...verdict.witnesses,
      ...wrong,
      ...letters,
      ...verdict.violations.map((violation) => JSON.stringify(violation)),
    ],
  };
}

async function taskIds(url: string): Promise<readonly string[]> {
  const rows = await queryOnce<{ id: string }>(url, "select task_id::text as id from state.tasks");
  return rows.map(({ id }) => id);
}

async function deadLetters(url: string): Promise<readonly string[]> {
  const rows = await queryOnce<{ letter: string }>(
    url,
    "select concat_ws(' ', queue, reason, message_id, detail) as letter from state.dead_letters",
  );
  return rows.map(({ letter }) => letter);
}

/** Tasks on which instances of the first list acted, and those of the second last of all. */
async function carried(
  url: string,
  [earlier, last]: readonly [readonly string[], readonly string[]],
): Promise<number> {
  const rows = await queryOnce<{ tasks: number }>(
    url,
    `with acts as (
       select task_id, bool_or(actor = any ($1)) as had_part, (array_agg(actor order by id desc))[1] as ended
         from state.events
        group by task_id
     )
     select count(*)::integer as tasks from acts where had_part and ended = any ($2)`,
    [earlier, last],
  );
  return rows[0]?.tasks ?? 0;
}

async function tasksOf(url: string, workflow: string, since: number): Promise<number> {
  const rows = await queryOnce<{ tasks: number }>(
    url,
    `select count(*)::integer as tasks from state.tasks
      where workflow = $1 and process_state in ('processed', 'undone') and created_at > $2`,
    [workflow, new Date(since)],
  );
  return rows[0]?.tasks ?? 0;
}
