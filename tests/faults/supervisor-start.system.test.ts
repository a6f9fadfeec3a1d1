import { callsOf } from "@holdfast/domain";
import { fulfilOrder } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  startFaultySystem,
  takeRequests,
  until,
} from "./faulty-system.ts";

/** Milliseconds: what RECOVERY_DELAY is unless set. */
const recoveryDelay = 5_000;
const orders = 50;
/** Two steps of each order begin at once. */
const steps = 2 * orders;

test("a Supervisor that starts waits RECOVERY_DELAY for replies, and then recovers a hundred expired steps at once", async () => {
  await using faulty = await startFaultySystem({
    count: { supervisor: 0, agent: 0 },
    env: { supervisor: { RECOVERY_DELAY: `${recoveryDelay}ms` } },
    // Each request is taken in time, and no step is retried before the Agent is there that answers:
    // all hundred at once, in its first moment.
    limits: {
      startWithin: 10_000,
      completeWithin: 8_000,
      retry: { failures: 100, backoff: 600_000, max: 600_000 },
    },
  });
  const { system } = faulty;
  const agents = new Set(callsOf(fulfilOrder.definition).map(({ agent }) => agent));
  const silent = await takeRequests(faulty, [...agents]);
  const ids = await faulty.submit(Array.from({ length: orders }, () => "good" as const));
  const expired = `select 1 from state.steps
    where process_state = 'processing' and confirmed_at is not null and complete_by < now()`;
  await until(async () => (await faulty.query(expired)).length === steps);

  const startedAt = await storeTime(faulty);
  await system.start("supervisor");
  await faulty.said("recovery delayed", "supervisor");
  const delayedAt = await storeTime(faulty);
  const recoveries = () =>
    faulty.query<{ at: number }>(
      `select (extract(epoch from at) * 1000)::float8 as at from state.events
        where action = 'retry' and reason = 'step.expired' order by at`,
    );
  await until(async () => (await recoveries()).length === steps);
  const times = (await recoveries()).map(({ at }) => at);
  const [first = Number.NaN, last = Number.NaN] = [times.at(0), times.at(-1)];
  process.stdout.write(
    `${steps} expired steps recovered ${Math.round(first - delayedAt)} to ${Math.round(last - delayedAt)} ms after the Supervisor began to wait\n`,
  );
  expect(first - startedAt).toBeGreaterThanOrEqual(recoveryDelay);
  expect(last - first).toBeLessThan(recoveryDelay);
  // One by one, or each after a delay of its own, would take many times that.
  expect(last - delayedAt).toBeLessThan(12 * recoveryDelay);

  await silent[Symbol.asyncDispose]();
  await system.start("agent");
  await faulty.query("update state.steps set not_before = now() where process_state = 'pending'");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: orders, undone: 0 }));
});

/** Milliseconds, by the store's own clock. */
async function storeTime(faulty: FaultySystem) {
  const [row] = await faulty.query<{ now: number }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now",
  );
  return row?.now ?? Number.NaN;
}
