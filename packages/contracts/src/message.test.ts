import { randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { StepReply } from "./step-reply.ts";
import { StepRequest } from "./step-request.ts";

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

test("what was written is read unchanged", () => {
  expect(StepRequest.decode(StepRequest.encode(request))).toEqual(request);
  expect(StepReply.decode(StepReply.encode(reply))).toEqual(reply);
});

test("a message of a newer release is read, its unknown fields left alone", () => {
  const newer = { ...request, region: "eu", deadline: { soft: 1 } };
  expect(StepRequest.decode(bytes(newer))).toMatchObject(request);
  const newerReply = { ...reply, outcome: { ...reply.outcome, cost: 7 }, region: "eu" };
  expect(StepReply.decode(bytes(newerReply))).toMatchObject(reply);
});

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

test("a key that would be a prototype stays a key", () => {
  const text = `{"__proto__":{"kind":"completed"},${JSON.stringify({ ...reply, outcome: undefined }).slice(1)}`;
  expect(() => StepReply.decode(Buffer.from(text))).toThrow("Not a step.reply.v1");
  expect(({} as { kind?: string }).kind).toBeUndefined();
});
