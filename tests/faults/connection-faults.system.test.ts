import { type SampleKind, sampleOrder } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";

const breaking = (seed: number) => ({ HOLDFAST_STORE_FAULTS: `1%@${seed}` });

const mixed: readonly SampleKind[] = Array.from({ length: 60 }, (_, index) =>
  index % 3 === 2 ? "unshippable" : "good",
);

/**
 * Orders as a client does: with a key, and again with the same one as long as the answer is 503.
 */
async function order({ system }: FaultySystem, kind: SampleKind, seed: number): Promise<string> {
  let response: Response | null = null;
  await until(async () => {
    response = await fetch(`${system.submissionUrl}/v1/orders`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": `order-${seed}` },
      body: JSON.stringify(sampleOrder({ kind, seed })),
    });
    return response.status !== 503;
  });
  expect(response).toMatchObject({ status: 202 });
  return ((await response!.json()) as { id: string }).id;
}

const injected = ({ log }: FaultySystem, service: string) =>
  log.filter((line) => line.msg === "fault injected" && line.service === service);

test.concurrent("while connections to the store break at random, no order is lost or done twice", async () => {
  await using faulty = await startFaultySystem({
    count: { scheduler: 2 },
    env: {
      submission: breaking(11),
      scheduler: breaking(12),
      supervisor: { ...breaking(13), SCAN_INTERVAL: "50ms" },
    },
  });
  const lostCommits = () =>
    injected(faulty, "scheduler").filter(
      ({ when, statement }) => when === "after" && statement === "commit",
    );
  // Until what matters most has happened: a commit whose answer was lost.
  for (let first = 0; lostCommits().length === 0; first += mixed.length) {
    const ids = await Promise.all(mixed.map((kind, index) => order(faulty, kind, first + index)));
    expect(new Set(ids).size).toBe(mixed.length);
    expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 40, undone: 20 }));
  }
  for (const service of ["submission", "scheduler", "supervisor"]) {
    await until(() => injected(faulty, service).length > 0);
  }
  expect(faulty.system.processes.every(({ isRunning }) => isRunning)).toBe(true);
  const attempts = "select 1 from state.submissions group by idempotency_key having count(*) > 1";
  expect(await faulty.query(attempts)).toEqual([]);
});

test.concurrent("while Schedulers and Agents die and connections to the store break, every order ends right", async () => {
  await using faulty = await startFaultySystem({
    apart: ["agent"],
    count: { agent: 2 },
    env: { submission: breaking(21), scheduler: breaking(22), supervisor: breaking(23) },
  });
  const { system } = faulty;
  const ids = await faulty.submit(mixed);
  for (const name of ["scheduler", "agent"] as const) {
    const doomed = system.running(name)[0]!;
    doomed.signal("SIGKILL");
    await doomed.exited;
    await system.start(name);
  }
  const expected = allRight({ processed: 40, undone: 20 });
  expect(await faulty.verdict(ids)).toEqual(expected);
  // One statement of a hundred breaks, and a slow machine needs fewer of them: its batches are
  // larger.
  while (injected(faulty, "scheduler").length === 0) {
    expect(await faulty.verdict(await faulty.submit(mixed))).toEqual(expected);
  }
});

/**
 * Has each statement that writes to the history take a minute while `public.slow` has a row: every
 * claim, every recorded reply and every submission. Postgres ends them after their
 * `statement_timeout` of 10 s.
 */
const slowDown = (faulty: FaultySystem) =>
  faulty.query(`
    create table public.slow ();
    create function public.wait_while_slow() returns trigger language plpgsql security definer as $$
    begin
      if exists (select from public.slow) then perform pg_sleep(60); end if;
      return null;
    end $$;
    create trigger slow after insert on state.events
      for each statement execute function public.wait_while_slow();
    insert into public.slow default values`);

const post = ({ system }: FaultySystem): Promise<Response> =>
  fetch(`${system.submissionUrl}/v1/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "slow" },
    body: JSON.stringify(sampleOrder({ kind: "good" })),
  });

const ended = "canceling statement due to statement timeout";

test.concurrent("statements that outlast statement_timeout cost time: no reply and no order is lost, and every service goes on", async () => {
  await using faulty = await startFaultySystem({
    apart: ["agent"],
    // Nothing expires meanwhile: what is recorded in the end was kept by the Scheduler or the
    // broker.
    limits: { startWithin: 60_000, completeWithin: 60_000 },
  });
  const { system } = faulty;
  // Replies come only once the store is slow, however fast or slow this machine is.
  const [agent] = system.running("agent");
  agent?.signal("SIGSTOP");
  const ids = await faulty.submit(["good", "good", "unshippable"]);
  const claimed =
    "select 1 from state.steps where name = 'reserve' and process_state = 'processing'";
  await until(async () => (await faulty.query(claimed)).length === ids.length);

  await slowDown(faulty);
  agent?.signal("SIGCONT");
  const refused = await post(faulty);
  expect(refused.status).toBe(503);
  // Postgres ends the statement after 10 s; the service asks no longer than 12 s, which may come
  // first on a busy machine.
  const { code } = (await refused.json()) as { readonly code: string };
  expect(["store.unavailable", "store.outcome_unknown"]).toContain(code);
  // A batch of replies was given up by the server, and stays unacknowledged.
  await until(() =>
    faulty.log.some((line) => line.msg === "batch failed" && JSON.stringify(line).includes(ended)),
  );
  await faulty.query("truncate public.slow");

  const accepted = await post(faulty);
  expect(accepted.status).toBe(202);
  const { id } = (await accepted.json()) as { readonly id: string };
  expect(await faulty.verdict([...ids, id])).toEqual(allRight({ processed: 3, undone: 1 }));
  expect(system.processes.every(({ isRunning }) => isRunning)).toBe(true);
  expect(
    await faulty.query("select 1 from state.submissions where idempotency_key = 'slow'"),
  ).toHaveLength(1);
  expect(await faulty.query("select 1 from state.events where reason = 'step.expired'")).toEqual(
    [],
  );
  expect(await faulty.query("select 1 from state.dead_letters")).toEqual([]);
});
