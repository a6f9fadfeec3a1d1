import { readFile } from "node:fs/promises";
import { replyExchange } from "@holdfast/contracts";
import { fulfilOrder } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, retried, startFaultySystem, until } from "./faulty-system.ts";
import { publish, publishAll } from "./publish.ts";

/**
 * Milliseconds: the servers write 60 MB, several times, on a machine that may have much else to do.
 */
const longest = 120_000;
const mebibyte = 1024 * 1024;
/** The heap of the Scheduler: what it reads at once must be far less. */
const env = {
  scheduler: { REPLY_IDENTITY: "trusted", NODE_OPTIONS: "--max-old-space-size=128" },
};

/**
 * A reply to nothing of about so many bytes, whose output takes ten times as much once it is
 * parsed.
 */
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

test("replies of 15 MB end no Scheduler: the first part of each is stored, and orders go on", async () => {
  await using faulty = await startFaultySystem({ apart: ["scheduler"], forging: true, env });
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

test("the largest replies that RabbitMQ accepts end no Scheduler, and keep it within the memory of its container", async () => {
  await using faulty = await startFaultySystem({ apart: ["scheduler"], forging: true, env });
  const [scheduler] = faulty.system.running("scheduler");
  const ids = await faulty.submit(["good", "good"]);
  const largest = largeReply(await largestTaken(faulty));
  for (const _ of ["first", "second", "third"]) await publish(faulty, largest);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 0 }));
  const kept = "select 1 from state.dead_letters where octet_length(body) < size";
  await until(async () => (await faulty.query(kept)).length === 3);
  expect(scheduler?.isRunning).toBe(true);
  expect(await peakMemory(scheduler?.pid ?? 0)).toBeLessThan(512 * mebibyte);
});

test("more large inputs than fit into memory, all due at once, end no Scheduler and no Agent", async () => {
  await using faulty = await startFaultySystem({
    apart: ["scheduler", "agent"],
    env: { ...env, agent: { NODE_OPTIONS: "--max-old-space-size=192" } },
  });
  // Each input is taken apart into 83,000 lists, and each task is due at four Agents.
  const input = `[${"[],".repeat(83_000)}0]`;
  await faulty.store.registerWorkflow(unpacking);
  const submit = async (): Promise<string> => {
    const response = await fetch(`${faulty.system.submissionUrl}/v1/tasks`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
      body: `{"workflow":${JSON.stringify(unpacking.name)},"input":${input}}`,
    });
    // Of inputs beyond its memory submission says that they are to come later: 503.
    if (response.status !== 202) throw new Error(await response.text());
    return ((await response.json()) as { readonly id: string }).id;
  };
  const ids = await Promise.all(Array.from({ length: 60 }, () => retried(submit)));
  // The Agents refuse the inputs by their contracts: that is an answer, and the tasks halt.
  const halted = "select 1 from state.tasks where process_state = 'halted'";
  await until(async () => (await faulty.query(halted)).length === ids.length);
  for (const service of ["scheduler", "agent"] as const) {
    const [running] = faulty.system.running(service);
    expect(running?.isRunning).toBe(true);
    expect(await peakMemory(running?.pid ?? 0)).toBeLessThan(0.8 * 512 * mebibyte);
  }
});

/** The first steps of an order, side by side: each is given the whole input of the task. */
const { collection: _, ...definition } = fulfilOrder.definition;
const unpacking: typeof fulfilOrder.definition = {
  ...definition,
  name: "unpack.v1",
  inputSchema: {},
  inputs: {},
  outputs: {},
  output: null,
  steps: definition.steps.slice(0, 4).map((step) => ({
    ...step,
    input: { $ref: "/input" },
    after: [],
    onlyIf: null,
    onFailure: "halt",
    undo: null,
  })),
};

/** Bytes: 128 MiB, or the 16 MiB of RabbitMQ 4. */
async function largestTaken(faulty: FaultySystem): Promise<number> {
  for (const bytes of [128 * mebibyte, 16 * mebibyte]) {
    const message = { exchange: "", routingKey: "no-such-queue", body: "x".repeat(bytes) };
    try {
      await publish(faulty, message);
      return bytes;
    } catch {
      // RabbitMQ closed the channel: the message is larger than its limit.
    }
  }
  throw new Error("RabbitMQ takes no message of 16 MiB: see its max_message_size");
}

/** The most memory that a process ever had, in bytes; 0 on other systems than Linux. */
async function peakMemory(pid: number): Promise<number> {
  if (process.platform !== "linux") return 0;
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

test(
  "hundreds of large replies that have piled up end no Scheduler",
  async () => {
    await using faulty = await startFaultySystem({ apart: ["scheduler"], forging: true, env });
    const [scheduler] = faulty.system.running("scheduler");
    scheduler?.signal("SIGSTOP");
    await publishAll(
      faulty,
      Array.from({ length: 250 }, () => largeReply(250_000)),
    );
    scheduler?.signal("SIGCONT");
    const ids = await faulty.submit(["good", "good"]);
    expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 0 }));
    // A frozen Scheduler may lose its connection before it acknowledges: then some are kept twice.
    // It may also have published a request of the orders twice: the second reply to it is rejected
    // too, and not counted.
    const kept =
      "select distinct task_id from state.rejected_replies where reason = 'unknown_task'";
    await until(async () => (await faulty.query(kept)).length === 250);
    expect(scheduler?.isRunning).toBe(true);
  },
  longest,
);
