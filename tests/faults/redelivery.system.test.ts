import { ownReplyQueues } from "@holdfast/contracts";
import { setFaultSettings, startService } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";

/** Nothing expires: what happens, happens by messages. */
const patient = {
  startWithin: 60_000,
  completeWithin: 60_000,
  retry: { failures: 50, backoff: 100, max: 200 },
};

/**
 * A charge is made by an Agent that is killed before it replies, and is delivered again to another
 * release, which does with it what `CHARGE` says.
 */
async function chargeTwice(faulty: FaultySystem, CHARGE: "renamed" | "refused") {
  const { system } = faulty;
  const [doomed] = await Promise.all([
    // Its second attempt is the charge: the first assesses the risk.
    system.start("agent", { AGENT_NAMES: "payments", HOLDFAST_FAILPOINTS: "agent.worked=exit@2" }),
    system.start("agent", { AGENT_NAMES: "inventory,shipping,notifications" }),
  ]);
  const ids = await faulty.submit(["good"]);
  await doomed.exited;
  const main = "tests/faults/other-release.ts";
  const env = { ...system.environmentOf("agent"), CHARGE };
  const other = await startService({ service: main, name: "agent", env });
  return { ids, other };
}

const startPatient = () =>
  startFaultySystem({ apart: ["scheduler", "agent"], count: { agent: 0 }, limits: patient });

test.concurrent("a charge whose Agent was killed after the effect is refunded although another release says it had none", async () => {
  await using faulty = await startPatient();
  const { ids, other } = await chargeTwice(faulty, "refused");
  const refused = () =>
    faulty.query(`select attempt, fault_code, may_have_effect from state.steps
      where name = 'charge' and process_state = 'error'`);
  await until(async () => (await refused()).length > 0);
  expect(await refused()).toEqual([
    { attempt: 1, fault_code: "payments.refused", may_have_effect: true },
  ]);
  await other[Symbol.asyncDispose]();

  await faulty.system.start("agent", { AGENT_NAMES: "payments" });
  // The ledger of the partner shows no charge that was kept.
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 0, undone: 1 }));
  expect(
    await faulty.query(`select name, process_state from state.steps where name = 'charge:undo'`),
  ).toEqual([{ name: "charge:undo", process_state: "processed" }]);
});

test.concurrent("a charge that a release without the operation gives back is made once, by an instance that has it", async () => {
  await using faulty = await startPatient();
  const { ids, other } = await chargeTwice(faulty, "renamed");
  const givenBack = () =>
    faulty.query(`select failure_count, may_have_effect from state.steps
      where name = 'charge' and fault_code = 'step.request_unreadable'`);
  await until(async () => (await givenBack()).length > 0);
  // Another instance had it before.
  expect(await givenBack()).toEqual([{ failure_count: 0, may_have_effect: true }]);
  await other[Symbol.asyncDispose]();

  await faulty.system.start("agent", { AGENT_NAMES: "payments" });
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});

test.concurrent("a step is not retried while its Agent works on it when the second copy of its request expires", async () => {
  await using faulty = await startFaultySystem({
    apart: ["scheduler", "agent"],
    count: { scheduler: 0 },
    // One request at a time: a second copy stays in the queue.
    env: { agent: { CONCURRENCY: "1", AGENT_NAMES: "inventory" } },
    // The second copy expires long before the reply to the first one.
    limits: { startWithin: 8_000, completeWithin: 20_000 },
  });
  const { system } = faulty;
  await setFaultSettings(faulty.system, "inventory", { holdMs: 14_000 });
  const doomed = await system.start("scheduler", {
    HOLDFAST_FAILPOINTS: "scheduler.published@do=exit",
  });
  await system.start("agent", { AGENT_NAMES: "payments,shipping,notifications" });
  // Frozen until the first one is gone: starting a process takes longer than the request lives on a
  // slow machine.
  const next = await system.start("scheduler");
  next.signal("SIGSTOP");
  const ids = await faulty.submit(["good"]);
  await doomed.exited;
  next.signal("SIGCONT");
  await faulty.said("requests resent", "scheduler");
  await faulty.said("request dead-lettered", "scheduler");
  // While the first copy is still being worked at.
  const reserve = () =>
    faulty.query(
      "select process_state, attempt, failure_count from state.steps where name = 'reserve'",
    );
  expect(await reserve()).toEqual([{ process_state: "processing", attempt: 1, failure_count: 0 }]);
  await setFaultSettings(faulty.system, "inventory", {});
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
  expect(await reserve()).toEqual([{ process_state: "processed", attempt: 1, failure_count: 0 }]);
});

/**
 * Takes what is in the Schedulers' own queues and neither acknowledges nor returns it until
 * disposal.
 */
async function withholdReplies({ broker }: FaultySystem) {
  const connection = await connect(broker?.url ?? "");
  const channel = await connection.createChannel();
  let withheld = 0;
  for (const queue of ownReplyQueues) {
    await channel.consume(queue, () => void (withheld += 1), { consumerTag: queue });
  }
  return {
    async someReply(): Promise<void> {
      await until(() => withheld > 0);
      for (const queue of ownReplyQueues) await channel.cancel(queue);
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

test.concurrent("replies in a queue that no Scheduler of an earlier release reads cost a retry, and are ignored afterwards", async () => {
  await using faulty = await startFaultySystem({
    apart: ["scheduler", "agent"],
    limits: { startWithin: 1_000, completeWithin: 8_000 },
  });
  const [upgraded] = faulty.system.running("scheduler");
  await setFaultSettings(faulty.system, "inventory", { holdMs: 6_000 });
  const ids = await faulty.submit(["good"]);
  const atWork = `select 1 from state.steps
      where name = 'reserve' and process_state = 'processing' and confirmed_at is not null`;
  await until(async () => (await faulty.query(atWork)).length > 0);
  upgraded?.signal("SIGKILL");
  await upgraded?.exited;
  const replies = await withholdReplies(faulty);
  await replies.someReply();

  await faulty.system.start("scheduler");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
  await replies[Symbol.asyncDispose]();
  await faulty.said("reply rejected", "scheduler");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});
