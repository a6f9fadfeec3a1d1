import { isEnded, stateOf } from "@holdfast/load";
import type { SampleKind } from "@holdfast/orders";
import { openLink } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./faulty-system.ts";

const mixed: readonly SampleKind[] = Array.from({ length: 12 }, (_, index) =>
  index % 3 === 2 ? "unshippable" : "good",
);
const expected = allRight({ processed: 8, undone: 4 });
/** Limits for tests in which none may pass: starting a process takes seconds on a slow machine. */
const unhurried = { startWithin: 10_000, completeWithin: 10_000 };

test("if a Scheduler dies after its claim and before its publish, another one resends the request", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { HOLDFAST_FAILPOINTS: "scheduler.claimed=exit@3" } },
    limits: unhurried,
  });
  const [doomed] = faulty.system.running("scheduler");
  const ids = await faulty.submit(mixed);
  expect(await doomed!.exited).toBeNull();
  await faulty.system.start("scheduler", { HOLDFAST_FAILPOINTS: "" });
  expect(await faulty.verdict(ids)).toEqual(expected);
  const failures = faulty.log.filter(({ msg }) => isExpiry(msg));
  expect(failures).toEqual([]);
});

test("a Scheduler that dies between recording replies and acknowledging them causes no repeated step", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { HOLDFAST_FAILPOINTS: "scheduler.recorded=exit@2" } },
  });
  const [doomed] = faulty.system.running("scheduler");
  const ids = await faulty.submit(mixed);
  await doomed!.exited;
  await faulty.system.start("scheduler", { HOLDFAST_FAILPOINTS: "" });
  expect(await faulty.verdict(ids)).toEqual(expected);
});

test("if a Scheduler dies with unacknowledged replies, another records them before any limit has passed", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { HOLDFAST_FAILPOINTS: "scheduler.recording=exit@2" } },
    limits: unhurried,
  });
  const [doomed] = faulty.system.running("scheduler");
  await faulty.system.start("scheduler", { HOLDFAST_FAILPOINTS: "" });
  const ids: string[] = [];
  while (doomed!.isRunning) {
    ids.push(...(await faulty.submit(["good"])));
    await until(
      async () => !doomed!.isRunning || isEnded(await stateOf(faulty.system, ids.at(-1)!)),
    );
  }
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: ids.length, undone: 0 }));
  expect(faulty.log.filter(({ msg }) => isExpiry(msg))).toEqual([]);
});

test("a frozen Scheduler does not block orders that another one began", async () => {
  await using faulty = await startFaultySystem({
    apart: ["scheduler"],
    count: { scheduler: 2 },
    limits: unhurried,
  });
  const [still] = faulty.system.running("scheduler");
  still!.signal("SIGSTOP");
  const ids = await faulty.submit(mixed);
  expect(await faulty.verdict(ids)).toEqual(expected);
  expect(faulty.log.filter(({ msg }) => isExpiry(msg))).toEqual([]);
  still!.signal("SIGCONT");
});

test("if an Agent dies after the remote effect and before its reply, the effect happens once", async () => {
  await using faulty = await startFaultySystem({
    count: { agent: 2 },
    env: { agent: { HOLDFAST_FAILPOINTS: "agent.worked=exit@5" } },
  });
  const doomed = faulty.system.running("agent");
  const ids = await faulty.submit(mixed);
  await Promise.all(doomed.map(({ exited }) => exited));
  await faulty.system.start("agent", { HOLDFAST_FAILPOINTS: "" });
  expect(await faulty.verdict(ids)).toEqual(expected);
});

test.each(["supervisor.found", "supervisor.recovered"])(
  "if a Supervisor dies at %s, the next one counts each expired step once",
  async (gap) => {
    await using faulty = await startFaultySystem({
      env: {
        agent: { HOLDFAST_FAILPOINTS: "agent.worked=freeze@2" },
        supervisor: { HOLDFAST_FAILPOINTS: `${gap}=exit` },
      },
    });
    const [frozen] = faulty.system.running("agent");
    const [doomed] = faulty.system.running("supervisor");
    const ids = await faulty.submit(mixed);
    await doomed!.exited;
    frozen!.signal("SIGKILL");
    await faulty.system.start("agent", { HOLDFAST_FAILPOINTS: "" });
    await faulty.system.start("supervisor", { HOLDFAST_FAILPOINTS: "" });
    expect(await faulty.verdict(ids)).toEqual(expected);
    const twice = `select 1 from state.events where action in ('retry', 'requeue')
    group by task_id, step, attempt having count(*) > 1`;
    expect(await faulty.query(twice)).toEqual([]);
  },
);

test("a late reply of an Agent that was frozen past its deadline is rejected, and the rejection is recorded", async () => {
  await using faulty = await startFaultySystem({
    env: { agent: { HOLDFAST_FAILPOINTS: "agent.worked=freeze", CONCURRENCY: "1" } },
    // It is to be frozen when its work is done, however slow the machine is.
    limits: { completeWithin: 4_000 },
  });
  const [frozen] = faulty.system.running("agent");
  const ids = await faulty.submit(["good"]);
  await faulty.said("step expired", "supervisor");
  await faulty.system.start("agent", { HOLDFAST_FAILPOINTS: "" });
  frozen!.signal("SIGCONT");
  await faulty.said("reply rejected", "scheduler");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});

test("no due step waits for a poll: every change that makes a step due wakes a Scheduler", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { POLL_INTERVAL: "1h", MAX_IN_FLIGHT: "2" } },
  });
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, seed) =>
      faulty.order(seed % 5 === 4 ? "unshippable" : "good", seed),
    ),
  );
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 16, undone: 4 }));
});

test("orders that were accepted before the first connection to the broker do not wait for a poll", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { POLL_INTERVAL: "1h" } },
  });
  await using link = await openLink(faulty.system.broker.urlOf("submission"));
  link.takeDown();
  const [connected] = faulty.system.running("submission");
  await faulty.system.start("submission", { BROKER_URL: link.url });
  await connected![Symbol.asyncDispose]();
  const id = await faulty.order("good", 0);
  link.heal();
  expect(await faulty.verdict([id])).toEqual(allRight({ processed: 1, undone: 0 }));
});

test("services that are asked to stop finish their work, and no step waits for the Supervisor", async () => {
  await using faulty = await startFaultySystem({
    count: { scheduler: 2, agent: 2 },
    limits: unhurried,
  });
  const ids = await faulty.submit([...mixed, ...mixed]);
  const old = [...faulty.system.running("scheduler"), ...faulty.system.running("agent")];
  await Promise.all([faulty.system.start("scheduler"), faulty.system.start("agent")]);
  await Promise.all(old.map((one) => one[Symbol.asyncDispose]()));
  expect(old.every(({ isRunning }) => !isRunning)).toBe(true);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 16, undone: 8 }));
  expect(faulty.log.filter(({ msg }) => isExpiry(msg))).toEqual([]);
  await until(() => faulty.system.running("scheduler").length === 1);
});

/** Whether a log message says that the Supervisor found a step or a task past its limit. */
function isExpiry(msg: string): boolean {
  return msg === "step expired" || msg === "task limit passed";
}
