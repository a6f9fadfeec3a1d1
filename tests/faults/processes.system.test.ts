import { openLink } from "@holdfast/local-stack";
import { isEnded, stateOf } from "@holdfast/local-system";
import type { SampleKind } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./harness.ts";

const mixed: readonly SampleKind[] = Array.from({ length: 12 }, (_, index) =>
  index % 3 === 2 ? "unshippable" : "good",
);
const expected = allRight({ processed: 8, undone: 4 });

test("a Scheduler that dies after its claim and before its publish: another one relays it", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { HOLDFAST_FAILPOINTS: "scheduler.claimed=exit@3" } },
  });
  const [doomed] = faulty.system.running("scheduler");
  const ids = await faulty.submit(mixed);
  expect(await doomed!.exited).toBeNull();
  await faulty.system.start("scheduler", { HOLDFAST_FAILPOINTS: "" });
  expect(await faulty.verdict(ids)).toEqual(expected);
  const failures = faulty.log.filter(({ msg }) => msg === "limit passed");
  expect(failures).toEqual([]);
});

test("a Scheduler that dies between recording replies and acknowledging them repeats nothing", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { HOLDFAST_FAILPOINTS: "scheduler.recorded=exit@2" } },
  });
  const [doomed] = faulty.system.running("scheduler");
  const ids = await faulty.submit(mixed);
  await doomed!.exited;
  await faulty.system.start("scheduler", { HOLDFAST_FAILPOINTS: "" });
  expect(await faulty.verdict(ids)).toEqual(expected);
});

test("a Scheduler that dies with replies in hand: another records them before any limit has passed", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { HOLDFAST_FAILPOINTS: "scheduler.recording=exit@2" } },
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
  expect(faulty.log.filter(({ msg }) => msg === "limit passed")).toEqual([]);
});

test("a Scheduler that stands still holds up nothing that is begun by another", async () => {
  await using faulty = await startFaultySystem({ count: { scheduler: 2 } });
  const [still] = faulty.system.running("scheduler");
  still!.signal("SIGSTOP");
  const ids = await faulty.submit(mixed);
  expect(await faulty.verdict(ids)).toEqual(expected);
  expect(faulty.log.filter(({ msg }) => msg === "limit passed")).toEqual([]);
  still!.signal("SIGCONT");
});

test("an Agent that dies after the remote effect and before its reply: it happened once", async () => {
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
  "a Supervisor that dies at %s: the next one counts each expired step once",
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
    const twice = `select 1 from state.events where action in ('retry', 'putBack')
    group by task_id, step, attempt having count(*) > 1`;
    expect(await faulty.query(twice)).toEqual([]);
  },
);

test("an Agent that was frozen past its deadline and answers late is rejected, and that is recorded", async () => {
  await using faulty = await startFaultySystem({
    env: { agent: { HOLDFAST_FAILPOINTS: "agent.worked=freeze", CONCURRENCY: "1" } },
  });
  const [frozen] = faulty.system.running("agent");
  const ids = await faulty.submit(["good"]);
  await faulty.said("limit passed", "supervisor");
  await faulty.system.start("agent", { HOLDFAST_FAILPOINTS: "" });
  frozen!.signal("SIGCONT");
  await faulty.said("reply rejected", "scheduler");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});

test("no step that could be done waits for a poll: whatever makes one due wakes a Scheduler", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { POLL_INTERVAL: "1h", WINDOW: "2" } },
  });
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, seed) =>
      faulty.order(seed % 5 === 4 ? "unshippable" : "good", seed),
    ),
  );
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 16, undone: 4 }));
});

test("nor do orders that were taken before the first connection to the broker", async () => {
  await using faulty = await startFaultySystem({ env: { scheduler: { POLL_INTERVAL: "1h" } } });
  await using link = await openLink(faulty.system.broker.urlOf("submission"));
  link.takeDown();
  const [connected] = faulty.system.running("submission");
  await faulty.system.start("submission", { BROKER_URL: link.url });
  await connected![Symbol.asyncDispose]();
  const id = await faulty.order("good", 0);
  link.heal();
  expect(await faulty.verdict([id])).toEqual(allRight({ processed: 1, undone: 0 }));
});

test("services that are asked to stop finish what is in hand, and nothing waits for the Supervisor", async () => {
  await using faulty = await startFaultySystem({ count: { scheduler: 2, agent: 2 } });
  const ids = await faulty.submit([...mixed, ...mixed]);
  const old = [...faulty.system.running("scheduler"), ...faulty.system.running("agent")];
  await Promise.all([faulty.system.start("scheduler"), faulty.system.start("agent")]);
  await Promise.all(old.map((one) => one[Symbol.asyncDispose]()));
  expect(old.every(({ isRunning }) => !isRunning)).toBe(true);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 16, undone: 8 }));
  expect(faulty.log.filter(({ msg }) => msg === "limit passed")).toEqual([]);
  await until(() => faulty.system.running("scheduler").length === 1);
});
