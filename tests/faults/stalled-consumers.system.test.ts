import { replyExchange } from "@holdfast/contracts";
import { freePort } from "@holdfast/local-stack";
import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { publish } from "./publish.ts";

/** Has Postgres refuse to keep a rejected reply to the step `stuck`, as if a right were missing. */
const breakStore = (faulty: FaultySystem) =>
  faulty.query(`
    create function state.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'a right is missing' using errcode = '42501'; end $$;
    create trigger refuse before insert on state.rejected_replies
      for each row when (new.step = 'stuck') execute function state.refuse();`);

const mendStore = (faulty: FaultySystem) =>
  faulty.query("drop trigger refuse on state.rejected_replies");

const publishStuck = (faulty: FaultySystem) =>
  publish(faulty, {
    exchange: replyExchange,
    routingKey: "reply.inventory.x",
    body: JSON.stringify({
      taskId: crypto.randomUUID(),
      step: "stuck",
      attempt: 1,
      token: crypto.randomUUID(),
      outcome: { kind: "completed", output: null },
    }),
  });

test.concurrent("a consumer that can record nothing fails its readiness and is named by doctor, until it can", async () => {
  const port = String(await freePort(9_300));
  await using faulty = await startFaultySystem({
    env: {
      scheduler: { REPLY_IDENTITY: "trusted", HEALTH_HOST: "127.0.0.1", HEALTH_PORT: port },
    },
  });
  const health = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
    return (await response.json()) as { readonly ready: boolean; readonly failing: unknown };
  };
  await breakStore(faulty);
  await publishStuck(faulty);
  const failing = expect.stringMatching(
    /^consumers: 1 messages of scheduler\.replies failed \d+ times in \d+ s: a right is missing$/,
  );
  await until(async () => !(await health()).ready);
  expect(await health()).toEqual({ ready: false, failing: [failing] });
  const stalledConsumers = () =>
    faulty.query("select queue, messages, error from state.stalled_consumers where failures > 3");
  await until(async () => (await stalledConsumers()).length > 0);
  expect(await stalledConsumers()).toEqual([
    { queue: "scheduler.replies", messages: 1, error: "a right is missing" },
  ]);
  await mendStore(faulty);
  await until(async () => (await health()).ready);
  expect(await faulty.query("select step from state.rejected_replies")).toEqual([
    { step: "stuck" },
  ]);
  await until(async () => (await stalledConsumers()).length === 0);
});

test.concurrent("a single message that cannot be recorded is dead-lettered with the reason", async () => {
  await using faulty = await startFaultySystem({
    env: { scheduler: { REPLY_IDENTITY: "trusted" } },
  });
  await breakStore(faulty);
  await publishStuck(faulty);
  const ids = await faulty.submit(["good", "good"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 0 }));
  const letters = () => faulty.query("select queue, reason, detail from state.dead_letters");
  await until(async () => (await letters()).length > 0);
  expect(await letters()).toEqual([
    { queue: "scheduler.replies", reason: "store.failed", detail: "a right is missing" },
  ]);
});
