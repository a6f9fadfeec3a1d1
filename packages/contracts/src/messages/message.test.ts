import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { limits } from "../limits/limits.ts";
import { payloadFaults } from "../limits/payload-faults.ts";
import { AgentHeartbeat } from "./agent-heartbeat.ts";
import { parseJson } from "./parse-json.ts";
import { SignalRefused } from "./signal-refused.ts";
import { StepProgress } from "./step-progress.ts";
import { StepReply } from "./step-reply.ts";
import { StepRequest } from "./step-request.ts";
import { TaskRefused } from "./task-refused.ts";
import { TaskSignal } from "./task-signal.ts";

const request: StepRequest = {
  taskId: randomUUID(),
  step: "charge",
  agent: "payments",
  operation: "charge",
  attempt: 1,
  token: randomUUID(),
  idempotencyKey: "task:charge:do",
  workMs: 5_000,
  completeBy: "2030-01-01T00:00:00.000Z",
  input: { amount: 5 },
};
const reply = {
  taskId: request.taskId,
  step: request.step,
  attempt: 1,
  token: request.token,
  outcome: { kind: "completed", output: { chargeId: "c-1" } },
} as const;

const bytes = (json: unknown) => Buffer.from(JSON.stringify(json));

test("a message is read as it was written", () => {
  expect(StepRequest.decode(StepRequest.encode(request))).toEqual(request);
  expect(StepReply.decode(StepReply.encode(reply))).toEqual(reply);
});

test("a hundred thousand fields that a reader does not know take it no longer than the parser, some times over", () => {
  const unknown = Object.fromEntries(
    Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 1]),
  );
  const body = bytes({ ...reply, ...unknown });
  const timeOf = (work: () => unknown): number => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user;
  };
  const tries = [1, 2, 3, 4];
  const parsing = Math.min(...tries.map(() => timeOf(() => parseJson(body))));
  const reading = Math.min(...tries.map(() => timeOf(() => StepReply.decode(body))));
  expect(StepReply.decode(body)).toEqual(reply);
  expect(reading / parsing).toBeLessThan(2.5);
});

test("fields that a reader does not know are dropped, and those of a payload are kept", () => {
  const newer = { ...request, region: "eu", deadline: { soft: 1 } };
  expect(StepRequest.decode(bytes(newer))).toEqual(request);
  const outcome = { ...reply.outcome, output: { known: { to: "ann" } }, cost: 7 };
  const newerReply = { ...reply, outcome, region: "eu" };
  expect(StepReply.decode(bytes(newerReply))).toEqual({
    ...reply,
    outcome: { kind: "completed", output: { known: { to: "ann" } } },
  });
  const { taskId, step, attempt, token } = request;
  const one = { taskId, step, attempt, token, runningMs: 5, heartbeat: { percent: 1 } };
  const newerSigns = { attempts: [{ ...one, heartbeat: { percent: 1, mood: [[]] } }], of: 1 };
  expect(StepProgress.decode(bytes(newerSigns))).toEqual({ attempts: [one] });
});

test.each([
  ["request", StepRequest, request],
  ["reply", StepReply, reply],
  [
    "failure",
    StepReply,
    { ...reply, outcome: { kind: "failed", code: "a.b", message: "", transient: true } },
  ],
  ["stop", StepReply, { ...reply, outcome: { kind: "stopped", effect: "none" } }],
] as const)(
  "an unknown field of a %s that is too deep to be written out is dropped",
  (_, type, message) => {
    const text = JSON.stringify({ ...message, x: 0 }).replace(
      '"x":0',
      `"x":${"[".repeat(8_000)}${"]".repeat(8_000)}`,
    );
    expect(type.decode(Buffer.from(text))).toEqual(message);
  },
);

test.each<[string, unknown]>([
  ["a field is missing", { ...request, token: undefined }],
  ["an attempt is none", { ...request, attempt: 0 }],
  ["an attempt is a text", { ...request, attempt: "1" }],
  ["an id is no id", { ...request, taskId: "../1" }],
  ["a name is endless", { ...request, step: "x".repeat(201) }],
  ["it is a list", [request]],
  ["it is nothing", null],
])("a request is refused when %s", (_, json) => {
  expect(() => StepRequest.decode(bytes(json))).toThrow("Not a step.request.v1");
});

test.each<[string, unknown]>([
  ["its outcome is of no known kind", { ...reply, outcome: { kind: "maybe" } }],
  ["its outcome is missing", { ...reply, outcome: undefined }],
  ["its token is none", { ...reply, token: "0" }],
])("a reply is refused when %s", (_, json) => {
  expect(() => StepReply.decode(bytes(json))).toThrow("Not a step.reply.v1");
});

test("a key named like the prototype is read as an ordinary key", () => {
  const text = `{"__proto__":{"kind":"completed"},${JSON.stringify({ ...reply, outcome: undefined }).slice(1)}`;
  expect(() => StepReply.decode(Buffer.from(text))).toThrow("Not a step.reply.v1");
  expect(({} as { kind?: string }).kind).toBeUndefined();
});

test.each<[string, object]>([
  ["an attempt is larger than the store's integers", { attempt: 2 ** 31 }],
  ["an attempt is larger than any integer", { attempt: 1e300 }],
  ["a step's name has a NUL", { step: "a\u0000b" }],
  ["a step's name has half a character", { step: "a\ud800" }],
  ["a step's name has a line break", { step: "a\nb" }],
  ["a step's name commands a terminal", { step: "a\u009b2K" }],
  ["a step's name runs backwards", { step: "a\u202eb" }],
  ["it takes more than can be counted", { bundleSize: 2 ** 31 }],
])("a reply is refused when %s", (_, changes) => {
  expect(() => StepReply.decode(bytes({ ...reply, ...changes }))).toThrow("Not a step.reply.v1");
});

const failed = (changes: object) => {
  const failure = { kind: "failed", code: "a.b", message: "no", transient: true, ...changes };
  return StepReply.decode(bytes({ ...reply, outcome: failure })).outcome;
};

describe("a failure", () => {
  test("keeps the part of its message that can be stored", () => {
    expect(failed({ code: "a.b\0", message: "no\0 \ud800" })).toMatchObject({
      code: "a.b\ufffd",
      message: "no\ufffd \ufffd",
      transient: true,
    });
    expect(failed({ message: "x".repeat(5_000) })).toMatchObject({ message: "x".repeat(2_000) });
  });

  test("commands no terminal, and is never refused for that", () => {
    const hostile = "no:\n\u001b]52;c;bHM=\u0007\u009b2K\u202e";
    const shown = "no:\n\ufffd]52;c;bHM=\ufffd\ufffd2K\ufffd";
    const outcome = { kind: "failed", code: hostile, message: hostile, transient: true } as const;
    const code = shown.replace("\n", "\ufffd");
    expect(failed(outcome)).toMatchObject({ code, message: shown });
    const written = StepReply.encode({ ...reply, outcome });
    expect(JSON.parse(written.toString())).toMatchObject({ outcome: { code, message: shown } });
  });

  test.each([1e308, 8e15, 2 ** 31])(
    "delays its step no longer than can be stored: %d ms",
    (retryAfterMs) => {
      expect(failed({ retryAfterMs })).toMatchObject({ retryAfterMs: 2 ** 31 - 1 });
    },
  );

  test.each([{ code: 5 }, { message: null }, { retryAfterMs: -1 }, { retryAfterMs: 0.5 }])(
    "is refused with %j",
    (changes) => {
      expect(() => failed(changes)).toThrow("Not a step.reply.v1");
    },
  );
});

test("a note of progress is made readable, and the signs beside it are kept", () => {
  const sign = { ...reply, outcome: undefined, runningMs: 5 };
  const attempts = [
    { ...sign, heartbeat: { percent: 5, note: `a\u001b[2K\n${"x".repeat(300)}` } },
    { ...sign, heartbeat: { percent: 6 } },
    sign,
  ];
  const read = StepProgress.decode(bytes({ attempts }));
  expect(read.attempts.map(({ heartbeat }) => heartbeat)).toEqual([
    { percent: 5, note: `a\ufffd[2K\n${"x".repeat(194)}` },
    { percent: 6 },
    undefined,
  ]);
  for (const wrong of [{ attempts: 5 }, { attempts: [{ ...sign, heartbeat: { note: 5 } }] }, []]) {
    expect(() => StepProgress.decode(bytes(wrong))).toThrow("Not a step.progress.v1");
  }
});

test("a refusal is written as its schema says, whatever it quotes", () => {
  const refusal: TaskRefused = {
    event: "refused",
    messageId: "m-1",
    correlationId: null,
    code: "task.invalid",
    detail: "There is no workflow \u001b[2K",
    errors: [{ pointer: "/a\u009b", detail: "x".repeat(3_000) }],
  };
  expect(TaskRefused.decode(TaskRefused.encode(refusal))).toEqual({
    ...refusal,
    detail: "There is no workflow \ufffd[2K",
    errors: [{ pointer: "/a\ufffd", detail: "x".repeat(2_000) }],
  });
});

test("the refusal of a signal is written as its schema says, whatever it quotes", () => {
  const refusal: SignalRefused = {
    event: "signal-refused",
    name: "paid",
    id: null,
    correlationId: null,
    code: "signal.invalid",
    detail: "The payload \u001b[2K",
    errors: [{ pointer: "/a\u009b", detail: "x".repeat(3_000) }],
  };
  expect(SignalRefused.decode(SignalRefused.encode(refusal))).toEqual({
    ...refusal,
    detail: "The payload \ufffd[2K",
    errors: [{ pointer: "/a\ufffd", detail: "x".repeat(2_000) }],
  });
});

test("a signal is read without the fields that it does not have, and with a payload of any shape", () => {
  const taskId = "019a2b3c-0000-7000-8000-000000000000";
  const signal: TaskSignal = { taskId, name: "paid", id: "p-1", payload: [null] };
  expect(TaskSignal.decode(bytes({ ...signal, colour: "red" }))).toEqual(signal);
  const held = { workflow: "trip", businessKey: "t-7", holdFor: "7d" };
  expect(TaskSignal.decode(bytes({ ...signal, ...held }))).toMatchObject(held);
  for (const wrong of [{ name: "" }, { id: 5 }, { id: "x".repeat(256) }, { taskId: "t" }]) {
    expect(() => TaskSignal.decode(bytes({ ...signal, ...wrong }))).toThrow("Not a task.signal.v1");
  }
});

test("a reply with an output of 100,000 levels is read: payloadFaults finds the depth", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const text = JSON.stringify(reply).replace('{"chargeId":"c-1"}', deep);
  const { outcome } = StepReply.decode(Buffer.from(text));
  expect(outcome.kind === "completed" && payloadFaults(outcome.output)).toEqual([
    "is deeper than 32 levels",
  ]);
});

const heartbeat: AgentHeartbeat = {
  agent: "payments",
  instance: "i-1",
  capacity: 10,
  inFlight: 0,
  breaker: "closed",
  openForMs: 0,
};

test("a heartbeat is read with and without its operations", () => {
  const announcing = { ...heartbeat, operations: ["charge", "refund"] };
  expect(AgentHeartbeat.decode(AgentHeartbeat.encode(announcing))).toEqual(announcing);
  expect(AgentHeartbeat.decode(AgentHeartbeat.encode(heartbeat))).toEqual(heartbeat);
});

test("a heartbeat is refused when an operation is no name or there are too many", () => {
  const many = Array.from({ length: limits.operations + 1 }, (_, index) => `do${index}`);
  for (const operations of [["a,b"], [""], many]) {
    expect(() => AgentHeartbeat.decode(bytes({ ...heartbeat, operations }))).toThrow(
      "Not a agent.heartbeat.v1",
    );
  }
});

test("a heartbeat is refused when a contract is no hash or there are too many", () => {
  const many = Array.from({ length: limits.operations + 1 }, () => "");
  for (const contracts of [["abc"], ["G".repeat(limits.contract)], [null], many]) {
    expect(() => AgentHeartbeat.decode(bytes({ ...heartbeat, contracts }))).toThrow(
      "Not a agent.heartbeat.v1",
    );
  }
  const contracts = ["", "0123456789ab"];
  expect(AgentHeartbeat.decode(bytes({ ...heartbeat, contracts })).contracts).toEqual(contracts);
});

test("a heartbeat with the most operations, their contracts and the longest names fits into its limit", () => {
  const operations = Array.from({ length: limits.operations }, () => "a".repeat(100));
  const names = { agent: "a".repeat(limits.name), instance: "\u{1f600}".repeat(limits.name) };
  const contracts = operations.map(() => "0".repeat(limits.contract));
  const largest = AgentHeartbeat.encode({ ...heartbeat, ...names, operations, contracts });
  expect(AgentHeartbeat.decode(largest).operations).toHaveLength(limits.operations);
  expect(largest.length).toBeLessThan(limits.hintBytes);
});

test.each(["[]", "{}", "1"])(
  "the request for an undo is read with the largest input and output, though both are full of %s",
  (item) => {
    const length = Math.floor((limits.payloadBytes - 2) / (item.length + 1));
    const largest = Array.from({ length }, () => JSON.parse(item));
    const undo = {
      step: "charge",
      key: "task:charge:do",
      input: largest,
      output: largest,
      outcome: "completed",
    } as const;
    const read = StepRequest.decode(StepRequest.encode({ ...request, input: null, undo }));
    expect(read.undo?.output).toHaveLength(length);
  },
);
