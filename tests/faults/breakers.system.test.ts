import { operatorToken, setFaultSettings } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";

/** Patient enough for an outage of half a minute, and for the failures that show it. */
const limits = { retry: { failures: 12, backoff: 400, max: 5_000 } };
const count = { scheduler: 2, agents: 2 } as const;

interface Remote {
  readonly name: string;
  readonly breaker: string;
  readonly heldSteps: number;
  readonly reason: string | null;
}

const headers = {
  authorization: `Bearer ${operatorToken}`,
  "content-type": "application/json",
};

async function payments(faulty: FaultySystem): Promise<Remote> {
  const response = await fetch(`${await faulty.operationsUrl()}/v1/remotes`, { headers });
  const { items } = (await response.json()) as { readonly items: readonly Remote[] };
  return items.find(({ name }) => name === "payments") as Remote;
}

const isBreaker = (faulty: FaultySystem, state: string) => async () =>
  (await payments(faulty)).breaker === state;

const many = (orders: number) => Array.from({ length: orders }, () => "good" as const);

test("a remote service that is down opens one breaker for all, is probed, and all orders end right", async () => {
  await using faulty = await startFaultySystem({ count, limits });
  await setFaultSettings(faulty.system, "payments", { errorRate: 1 });
  const ids = await faulty.submit(many(40));
  await until(isBreaker(faulty, "open"));

  const inFlight = async () => {
    const [steps] = await faulty.query<{ n: number }>(
      "select count(*)::int as n from state.steps where lane = 'payments' and process_state = 'processing'",
    );
    return steps?.n ?? 0;
  };
  const probes = () =>
    faulty.query(
      "select state, openings from state.breakers where openings > 1 and service = 'payments'",
    );
  // What was in flight when it opened ends; from then on there is one probe at a time.
  await until(async () => (await inFlight()) <= 1);
  let most = 0;
  await until(async () => {
    most = Math.max(most, await inFlight());
    return (await probes()).length > 0;
  });
  expect(most).toBeLessThanOrEqual(1);
  expect((await payments(faulty)).heldSteps).toBeGreaterThan(0);
  // Once. Where the machine is slow, another service may be taken for failing as well.
  const alerts =
    "select 1 as n from state.alerts where kind = 'breaker.opened' and code = 'payments'";
  expect(await faulty.query(alerts)).toEqual([{ n: 1 }]);

  await setFaultSettings(faulty.system, "payments", {});
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 40, undone: 0 }));
  await until(isBreaker(faulty, "closed"));
});

test("an operator who holds a remote service holds back its steps, and no failure is counted", async () => {
  await using faulty = await startFaultySystem({ count });
  const act = async (verb: string) => {
    const body = JSON.stringify({ actor: "ann", reason: "the bank is closed" });
    const url = `${await faulty.operationsUrl()}/v1/remotes/payments/${verb}`;
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(204);
  };
  // A service that no workflow names cannot be held: one order makes it known.
  expect(await faulty.verdict(await faulty.submit(many(1)))).toEqual(
    allRight({ processed: 1, undone: 0 }),
  );
  await act("hold");
  // Each Scheduler has read it by then: every half second.
  await until(async () => {
    const ids = await faulty.submit(many(1));
    await until(
      async () =>
        (
          await faulty.query(
            `select from state.steps where name = 'reserve' and task_id = '${ids[0]}' and process_state = 'processed'`,
          )
        ).length === 1,
    );
    return (await payments(faulty)).heldSteps > 0;
  });
  const ids = await faulty.submit(many(20));
  await until(async () => (await payments(faulty)).heldSteps >= 20);
  await act("release");
  await faulty.verdict(ids);
  const [failures] = await faulty.query<{ n: number }>(
    "select sum(failure_count)::int as n from state.steps where name in ('charge', 'assess-risk')",
  );
  expect(failures).toEqual({ n: 0 });
});
