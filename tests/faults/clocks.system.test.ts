import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";

const hour = 3_600_000;

/** What has a process run something before its own code. */
const runningFirst = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});

/** Has the wall clock of a process be wrong by so many milliseconds. */
const skewedBy = (ms: number) =>
  runningFirst(`const Right = Date;
    globalThis.Date = class extends Right {
      constructor(...given) { if (given.length > 0) super(...given); else super(Right.now() + ${ms}); }
      static now() { return Right.now() + ${ms}; }
    };`);

test.each([
  ["Agents an hour ahead, all others an hour behind", hour],
  ["Agents an hour behind, all others an hour ahead", -hour],
])("with wrong clocks of %s, orders end as with right ones", async (_, ms) => {
  const others = skewedBy(-ms);
  await using faulty = await startFaultySystem({
    apart: "all",
    // Far less than an hour, and more than a step takes on a slow machine.
    limits: { startWithin: 10_000, completeWithin: 10_000 },
    env: { agent: skewedBy(ms), scheduler: others, supervisor: others, submission: others },
  });
  const ids = await faulty.submit(["good", "good", "unshippable", "declined"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 2 }));
  const counted =
    "select 1 from state.steps where failure_count > 0 and process_state = 'processed'";
  expect(await faulty.query(counted)).toEqual([]);
});

test("a Supervisor whose clock is wrong by an hour recovers silent steps, and no others", async () => {
  await using faulty = await startFaultySystem({
    apart: "all",
    // Long enough to be read while it lasts.
    limits: { completeWithin: 3_000 },
    env: {
      agent: { HOLDFAST_FAILPOINTS: "agent.worked=freeze@2", CONCURRENCY: "1" },
      supervisor: skewedBy(hour),
    },
  });
  const [frozen] = faulty.system.running("agent");
  const ids = await faulty.submit(["good"]);
  const completeBy = await deadlineOf(faulty, { step: "reserve", attempt: 1 });
  await faulty.said("step expired", "supervisor");
  frozen?.signal("SIGKILL");
  await faulty.system.start("agent", { HOLDFAST_FAILPOINTS: "" });
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
  const expiries = `select at >= '${completeBy}' as in_time from state.events
    where step = 'reserve' and attempt = 1 and reason = 'step.expired'`;
  expect(await faulty.query(expiries)).toEqual([{ in_time: true }]);
});

/** The deadline of an attempt that has just begun, as the store has it. */
async function deadlineOf(
  faulty: FaultySystem,
  { step, attempt }: { readonly step: string; readonly attempt: number },
): Promise<string> {
  const begun = `select complete_by::text as deadline from state.steps
    where name = '${step}' and attempt = ${attempt} and process_state = 'processing'`;
  let deadline: string | undefined;
  await until(async () => {
    deadline = (await faulty.query<{ deadline: string }>(begun))[0]?.deadline;
    return deadline !== undefined;
  });
  return deadline ?? "";
}

test("an Agent that computes for so long that its heartbeats are missed comes back, and does nothing twice", async () => {
  // Every few seconds nothing else runs for three: with a heartbeat of one the broker gives up on
  // it.
  const busy = runningFirst(
    `setInterval(() => { const end = performance.now() + 3500; while (performance.now() < end); }, 6000).unref();`,
  );
  await using faulty = await startFaultySystem({
    apart: "all",
    env: { agent: busy },
    // Steps expire while the Agent computes: none may fail so often that its order is undone.
    limits: { retry: { failures: 50, backoff: 100, max: 500 } },
  });
  const [usual] = faulty.system.running("agent");
  const { BROKER_URL = "" } = faulty.system.environmentOf("agent");
  const url = new URL(BROKER_URL);
  url.searchParams.set("heartbeat", "1");
  await faulty.system.start("agent", { BROKER_URL: url.href });
  await usual?.[Symbol.asyncDispose]();
  const ids = [...(await faulty.submit(["good", "unshippable"]))];
  await faulty.said("broker connection lost", "agent");
  ids.push(...(await faulty.submit(["good", "unshippable"])));
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 2 }));
});
