import { replyExchange } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./harness.ts";
import { publishAll } from "./publish.ts";

const mebibyte = 1024 * 1024;
/** The heap of the Scheduler: what it reads at once must be far less. */
const env = {
  scheduler: { REPLY_IDENTITY: "trusted", NODE_OPTIONS: "--max-old-space-size=128" },
};

/** A reply to nothing of about so many bytes, whose output takes ten times as much once it is parsed. */
const largeReply = (bytes: number) => ({
  exchange: replyExchange,
  routingKey: "reply.inventory.x",
  body: JSON.stringify({
    taskId: crypto.randomUUID(),
    step: "reserve",
    attempt: 1,
    token: crypto.randomUUID(),
    outcome: { kind: "completed", output: null },
  }).replace('"output":null', `"output":[${"[],".repeat((bytes - 300) / 3)}0]`),
});

test("replies of 15 MB end no Scheduler: the beginning of each is kept, and orders go on", async () => {
  await using faulty = await startFaultySystem({ env });
  const [scheduler] = faulty.system.running("scheduler");
  const ids = await faulty.submit(["good", "good"]);
  await publishAll(
    faulty,
    Array.from({ length: 6 }, () => largeReply(15_000_000)),
  );
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 0 }));
  await until(async () => (await faulty.query("select 1 from state.dead_letters")).length === 6);
  const letters = await faulty.query(
    "select octet_length(body) as bytes, size > 14000000 as is_large from state.dead_letters",
  );
  expect(letters).toEqual(Array.from({ length: 6 }, () => ({ bytes: mebibyte, is_large: true })));
  expect(scheduler?.isRunning).toBe(true);
});

test("hundreds of large replies that have piled up end no Scheduler", async () => {
  await using faulty = await startFaultySystem({ env });
  const [scheduler] = faulty.system.running("scheduler");
  scheduler?.signal("SIGSTOP");
  await publishAll(
    faulty,
    Array.from({ length: 250 }, () => largeReply(250_000)),
  );
  scheduler?.signal("SIGCONT");
  const ids = await faulty.submit(["good", "good"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 0 }));
  await until(
    async () => (await faulty.query("select 1 from state.rejected_replies")).length === 250,
  );
  expect(scheduler?.isRunning).toBe(true);
});
