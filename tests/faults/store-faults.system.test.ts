import { type SampleKind, sampleOrder } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, startFaultySystem, until } from "./harness.ts";

const breaking = (seed: number) => ({ HOLDFAST_STORE_FAULTS: `1%@${seed}` });

const mixed: readonly SampleKind[] = Array.from({ length: 60 }, (_, index) =>
  index % 3 === 2 ? "unshippable" : "good",
);

/** As a client does it: with a key, and again with the same one as long as the answer is 503. */
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

test("every connection to the store breaks now and then: no order is lost, none is done twice", async () => {
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
  // Until what matters most has happened: a commit whose answer nobody got.
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
}, 180_000);

test("Schedulers and Agents die as well while the store breaks: every order ends right", async () => {
  await using faulty = await startFaultySystem({
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
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 40, undone: 20 }));
  expect(injected(faulty, "scheduler").length).toBeGreaterThan(0);
});
