import { fulfilOrder } from "@holdfast/orders";
import { operatorToken, withLimits } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly waiting: number;
  readonly verified: Readonly<Record<"succeeded" | "failedAgain" | "running", number>>;
}

async function ask(faulty: FaultySystem, path: string, body?: object): Promise<Shown> {
  const response = await fetch(`${await faulty.operationsUrl()}/v1/bulk-operations${path}`, {
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Shown;
}

const count = 200;
const limits = {
  startWithin: 10_000,
  completeWithin: 10_000,
  retry: { failures: 5, backoff: 100, max: 500 },
};
const name = "halting-orders.v1";
const quickly = withLimits(fulfilOrder.definition, { name, limits });
/** An order that cannot be shipped waits for a person. */
const halting = {
  ...quickly,
  steps: quickly.steps.map((step) => ({ ...step, onFailure: "halt" as const })),
};

const stateOf = (faulty: FaultySystem, state: string) => async () => {
  const sql = `select from state.tasks where process_state = '${state}'`;
  return (await faulty.query(sql)).length === count;
};

const actedOn = (faulty: FaultySystem, action: string) =>
  faulty.query<{ tasks: number; acts: number }>(
    `select count(distinct task_id)::integer as tasks, count(*)::integer as acts
       from state.events where action = '${action}' and actor = 'operator:ann'`,
  );

test("a bulk operation over hundreds of halted orders stops with its canary, and another one does all of them once while Supervisors are killed", async () => {
  await using faulty = await startFaultySystem({
    apart: ["supervisor"],
    env: { supervisor: { SCAN_INTERVAL: "200ms" } },
  });
  const ids = await faulty.submit(Array(count).fill("unshippable"), halting);
  await until(stateOf(faulty, "halted"), 200);
  const request = { actor: "ann", reason: "the carrier is gone", filter: { workflow: name } };

  // The address is as it was: the carrier refuses it again, and the others are not touched.
  const canary = await ask(faulty, "", { ...request, action: "resubmit", canary: 3, rate: 100 });
  await until(async () => (await ask(faulty, `/${canary.id}`)).state === "stopped", 100);
  expect(await actedOn(faulty, "resubmit")).toEqual([{ tasks: 3, acts: 3 }]);
  await until(stateOf(faulty, "halted"), 200);

  const { id } = await ask(faulty, "", { ...request, action: "cancel", canary: 5, rate: 60 });
  const { system } = faulty;
  for (const gap of ["supervisor.applied", "supervisor.applying"]) {
    const failpoints = { HOLDFAST_FAILPOINTS: `${gap}=exit@2` };
    for (const one of system.running("supervisor")) one.signal("SIGKILL");
    system.launch("supervisor", failpoints).ready.catch(() => {});
    await until(() =>
      faulty.log.some((line) => line.msg === "failpoint hit" && line["gap"] === gap),
    );
  }
  const before = await ask(faulty, `/${id}`);
  expect(before.waiting).toBeGreaterThan(0);
  await Promise.all([system.start("supervisor"), system.start("supervisor")]);
  await until(async () => (await ask(faulty, `/${id}`)).state === "done", 200);

  expect(await ask(faulty, `/${id}`)).toMatchObject({
    waiting: 0,
    verified: { succeeded: count, failedAgain: 0, running: 0 },
  });
  expect(await actedOn(faulty, "undo")).toEqual([{ tasks: count, acts: count }]);
  const [noted] = await faulty.query<{ notes: number }>(
    `select count(*)::integer as notes from state.events
      where action = 'undo' and note = 'the carrier is gone (bulk operation ${id})'`,
  );
  expect(noted?.notes).toBe(count);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 0, undone: count }));
});
