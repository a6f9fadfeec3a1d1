import { setTimeout as sleep } from "node:timers/promises";
import { newTask } from "@holdfast/load";
import { createDatabase, queryOnce } from "@holdfast/local-stack";
import { migrate, type StateStore } from "@holdfast/state-store";
import { startHoldfast } from "../start-holdfast.ts";
import { signalledStep } from "../workflow.ts";
import type { PowerContext, SignalFigures } from "./report.ts";

/** Tasks that are submitted in one transaction. */
const batch = 500;
/** Milliseconds between two looks. */
const lookEvery = 200;
/** Signals that are sent one by one, and milliseconds between two of them. */
const lone = { signals: 1_000, every: 20 };
/** Requests that are under way at the same time, of those that are sent as fast as they go. */
const connections = 200;

/**
 * Measures how long it takes from a signal, once it is stored, to the claim of the step that waited
 * for it, and how many are taken a second over HTTP. Throws if one is lost, or if it left a broken
 * invariant.
 */
export async function measureSignals({
  serverUrl,
  brokerUrl,
  options: { signals, without },
  say,
}: PowerContext): Promise<SignalFigures> {
  await using owner = new AsyncDisposableStack();
  const { url } = owner.use(await createDatabase(serverUrl));
  await migrate(url);
  const workflow = signalledStep.definition;
  const { system, store, hint } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl,
    workflow,
    submissions: 1,
    without,
  });
  const warm = await submitWaiting(store, batch);
  await sendAll(system.submissionUrl, warm);
  const alone = await submitWaiting(store, lone.signals);
  hint();
  for (const taskId of alone) {
    await sleep(lone.every);
    await send(system.submissionUrl, taskId);
  }
  await untilProcessed(store, batch + lone.signals);
  const { p50, p99 } = await lagsOf(url, alone);
  say(`from a signal to the next claim: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  const many = await submitWaiting(store, signals);
  const begin = performance.now();
  await sendAll(system.submissionUrl, many);
  const perSecond = (1_000 * signals) / (performance.now() - begin);
  say(`${signals} signals: ${Math.round(perSecond)} a second`);
  await untilProcessed(store, batch + lone.signals + signals);
  // All rows are new: without this, Postgres would guess how many there are.
  await queryOnce(url, "vacuum analyze");
  const [violation] = await store.findInvariantViolations({ batch: 1 });
  if (violation !== undefined) throw new Error(`Broken invariant: ${violation.invariant}`);
  return { signals, p50, p99, perSecond };
}

/** Submits tasks whose first step waits for a signal. */
async function submitWaiting(store: StateStore, tasks: number): Promise<readonly string[]> {
  const input = { id: "x", padding: "x" };
  const ids: string[] = [];
  while (ids.length < tasks) {
    const some = Array.from({ length: Math.min(batch, tasks - ids.length) }, () =>
      newTask({ workflow: signalledStep.name, input }),
    );
    const submitted = await store.submitTasks(some, { actor: "bench" });
    ids.push(...submitted.flatMap((one) => ("taskId" in one ? [one.taskId] : [])));
  }
  return ids;
}

async function send(submissionUrl: string, taskId: string): Promise<void> {
  const answer = await fetch(new URL(`/v1/tasks/${taskId}/signals/go`, submissionUrl), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ payload: { id: taskId, padding: "x" } }),
  });
  if (!answer.ok)
    throw new Error(`A signal is answered with ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

async function sendAll(submissionUrl: string, taskIds: readonly string[]): Promise<void> {
  const left = [...taskIds];
  const sendNext = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      await send(submissionUrl, next);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendNext));
}

async function untilProcessed(store: StateStore, tasks: number): Promise<void> {
  while (((await store.countTasks()).processed ?? 0) < tasks) await sleep(lookEvery);
}

/** Milliseconds from a signal to the claim of the step after it, by the store's clock. */
async function lagsOf(url: string, taskIds: readonly string[]) {
  const [found] = await queryOnce<{ p50: number; p99: number }>(
    url,
    `select percentile_cont(0.5) within group (order by lag)::float8 as p50,
            percentile_cont(0.99) within group (order by lag)::float8 as p99
       from (select extract(epoch from claims.at - signals.at) * 1000 as lag
               from state.signals
               join state.events as claims on claims.task_id = signals.task_id and claims.action = 'claim'
              where signals.task_id in (${taskIds.map((id) => `'${id}'`).join()})) as lags`,
  );
  return found!;
}
