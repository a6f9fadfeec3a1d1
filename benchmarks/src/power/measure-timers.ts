import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase, queryOnce } from "@holdfast/local-stack";
import { migrate } from "@holdfast/state-store";
import { startHoldfast } from "../start-holdfast.ts";
import { restingStep } from "../workflow.ts";
import { fillWaits } from "./fill-waits.ts";
import type { PowerContext, TimerFigures } from "./report.ts";

/** Milliseconds between two looks. */
const lookEvery = 500;

/**
 * Measures how many waits a Scheduler ends a second when very many are due at once, as after an
 * outage: it starts when they are. Throws if it left a broken invariant.
 */
export async function measureTimers({
  serverUrl,
  brokerUrl,
  options: { timers, without },
  say,
}: PowerContext): Promise<TimerFigures> {
  await using owner = new AsyncDisposableStack();
  const { url } = owner.use(await createDatabase(serverUrl));
  await migrate(url);
  await fillWaits(url, { waits: timers, until: "date_trunc('second', clock_timestamp())" });
  say(`filled: ${timers} waits whose time has come`);
  const workflow = restingStep.definition;
  const agents = { count: 0 };
  const { store } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl,
    workflow,
    agents,
    without,
  });
  const left = () => queryOnce(url, "select from state.waits limit 1");
  while ((await left()).length > 0) await sleep(lookEvery);
  const [fired] = await queryOnce<{ count: number; seconds: number }>(
    url,
    `select count(*)::float8 as count, extract(epoch from max(at) - min(at))::float8 as seconds
       from state.events where action = 'fire'`,
  );
  const [violation] = await store.findInvariantViolations({ batch: 1 });
  if (violation !== undefined) throw new Error(`Broken invariant: ${violation.invariant}`);
  const { count = 0, seconds = Number.NaN } = fired ?? {};
  if (count !== timers) throw new Error(`${count} waits ended, and not ${timers}`);
  say(`${timers} waits ended in ${seconds.toFixed(1)} s`);
  return { timers, seconds, perSecond: timers / seconds };
}
