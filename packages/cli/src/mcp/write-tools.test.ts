import type { HoldfastClient, Step, Task } from "@holdfast/client";
import { describe, expect, test } from "@jest/globals";
import { answer } from "./tool.ts";
import { writeTools } from "./write-tools.ts";

const until = "2026-12-10T10:00:00.000Z";
const step = (name: string, processState: Step["processState"]): Partial<Step> => ({
  name,
  processState,
  attempt: 0,
  awaiting: processState === "awaiting" ? { until, signal: null, audience: null } : null,
});

/** A client of one task, and what it was asked to do. */
function clientOf(...steps: readonly Partial<Step>[]) {
  const done: unknown[] = [];
  const task = { id: "t-1", workflow: "trip.v1", state: "processing", version: 7, steps } as Task;
  const act = (what: string) => async (id: string, how: object) => {
    done.push([what, id, how]);
    return task;
  };
  const signal = async (...sent: readonly unknown[]) => {
    done.push(["signal", ...sent]);
    return { id: "evt-1", name: "paid", taskId: task.id, at: until, replayed: false };
  };
  const tasks = { get: async () => task, fire: act("fire"), cancel: act("cancel"), signal };
  return { client: { tasks } as unknown as HoldfastClient, done };
}

async function call(name: string, input: object, client: HoldfastClient) {
  const tool = writeTools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const { content, isError = false } = await answer(tool, input as never, client);
  return { isError, json: JSON.parse(content[0]?.text ?? "") as unknown };
}

const request = { id: "t-1", actor: "ann", reason: "she called" };

describe("the tool that ends a wait", () => {
  test("shows in a dry run which wait would end and when it would by itself, and changes nothing", async () => {
    const { client, done } = clientOf(step("hold", "processed"), step("rest", "awaiting"));
    const { json } = await call("fire_wait", { ...request, step: "rest", dryRun: true }, client);
    expect(json).toEqual({
      dryRun: true,
      would: `end the wait of step rest, which ends by itself at ${until}`,
      step: {
        name: "rest",
        processState: "awaiting",
        awaiting: { until, signal: null, audience: null },
      },
      task: { id: "t-1", workflow: "trip.v1", state: "processing", version: 7 },
    });
    expect(done).toEqual([]);
  });

  test("ends the wait of the version that it has read, with the actor and the reason", async () => {
    const { client, done } = clientOf(step("rest", "awaiting"));
    await call("fire_wait", { ...request, step: "rest", dryRun: false }, client);
    const { id, ...attribution } = request;
    expect(done).toEqual([["fire", id, { ...attribution, step: "rest", version: 7 }]]);
  });

  test("refuses a step that people decide, in a dry run too", async () => {
    const awaiting = { until, signal: null, audience: "treasury" };
    const { client, done } = clientOf({ ...step("release", "awaiting"), awaiting });
    for (const dryRun of [true, false]) {
      expect(await call("fire_wait", { ...request, step: "release", dryRun }, client)).toEqual({
        isError: true,
        json: {
          code: "task.needs_decision",
          message:
            "Step release of t-1 waits for treasury to decide: leave it to them, or cancel the task.",
          transient: false,
        },
      });
    }
    expect(done).toEqual([]);
  });

  test.each([
    ["none waits", [step("rest", "processed")], "No step of the task waits."],
    ["another waits", [step("rest", "waiting"), step("stay", "awaiting")], "These wait: stay."],
  ])("refuses a step that does not wait, and says which do: %s", async (_, steps, which) => {
    const { client, done } = clientOf(...steps);
    for (const dryRun of [true, false]) {
      expect(await call("fire_wait", { ...request, step: "rest", dryRun }, client)).toEqual({
        isError: true,
        json: {
          code: "task.not_awaiting",
          message: `Step rest of t-1 does not wait. ${which}`,
          transient: false,
        },
      });
    }
    expect(done).toEqual([]);
  });
});

describe("the tool that sends a signal", () => {
  const payload = { paymentId: "P-1" };
  const signal = { id: "t-1", name: "paid", payload, actor: "ann" };
  const paying = {
    ...step("pay", "awaiting"),
    awaiting: { until: null, signal: "paid", audience: null },
  };

  test.each([
    ["a step waits for it", [step("rest", "awaiting"), paying], "pay waits for", ["pay"]],
    ["none waits for it", [step("rest", "awaiting")], "no step waits for now", []],
  ])(
    "shows in a dry run which steps it ends, and changes nothing: %s",
    async (_, steps, takers, names) => {
      const { client, done } = clientOf(...steps);
      const { json } = await call("send_signal", { ...signal, dryRun: true }, client);
      expect(json).toEqual({
        dryRun: true,
        would: `send the signal paid, which ${takers}`,
        steps: names.map((name) => ({ name, awaiting: paying.awaiting })),
        task: { id: "t-1", workflow: "trip.v1", state: "processing", version: 7 },
      });
      expect(done).toEqual([]);
    },
  );

  test("sends the same payload under the same id, unless one is given", async () => {
    const { client, done } = clientOf(paying);
    const send = { ...signal, dryRun: false };
    await call("send_signal", send, client);
    await call("send_signal", { ...send, payload: { ...payload } }, client);
    await call("send_signal", { ...send, idempotencyKey: "evt-1" }, client);
    const how = (id: unknown) => ["signal", "t-1", "paid", payload, { actor: "ann", id }];
    const own = expect.stringMatching(/^mcp-[0-9a-f]{64}$/);
    expect(done).toEqual([how(own), how(own), how("evt-1")]);
    expect(done[1]).toEqual(done[0]);
  });
});

test("a dry run of a cancellation names a step that waits among those that have begun", async () => {
  const { client } = clientOf(
    { ...step("hold", "processed"), attempt: 1 },
    step("rest", "awaiting"),
    step("charge", "waiting"),
  );
  const { json } = await call("cancel_task", { ...request, dryRun: true }, client);
  expect(json).toMatchObject({
    begun: [
      { name: "hold", processState: "processed" },
      { name: "rest", processState: "awaiting" },
    ],
  });
});
