import { callsOf } from "@holdfast/domain";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  asOperator,
  halting,
  type OperatedService,
  openOperated,
  recorded,
  token,
} from "../test/operated.ts";

let operated: OperatedService;

beforeAll(async () => {
  operated = await openOperated();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});

const headers = { authorization: `Bearer ${token}` };
const list = async () =>
  (await operated.app.inject({ url: "/v1/agents", headers })).json<{
    readonly items: readonly { readonly name: string }[];
  }>().items;
const agentNamed = async (name: string) => (await list()).find((agent) => agent.name === name);

const beat = { inFlight: 1, breaker: "closed", openForMs: 0, everyMs: 4_000 } as const;

test("operators read how many instances and slots each Agent has, and what waits for it", async () => {
  await operated.scheduler.recordHeartbeats([
    { ...beat, agent: "rooms", instance: "a", capacity: 5 },
    { ...beat, agent: "rooms", instance: "b", capacity: 20, breaker: "open", openForMs: 60_000 },
    { ...beat, agent: "rooms", instance: "c", capacity: 75, leaving: true },
  ]);
  await operated.submit();
  expect(await agentNamed("rooms")).toEqual({
    name: "rooms",
    living: 2,
    slots: 25,
    inFlight: 0,
    due: 1,
    oldestDueMs: expect.any(Number),
    paused: null,
    unfitFor: [],
    differences: [],
    instances: [
      expect.objectContaining({ living: true, lastSeen: expect.any(String) }),
      expect.objectContaining({ living: true }),
      expect.objectContaining({ name: "c", slots: 75, living: false, openUntil: null }),
    ],
  });
  await operated.claim();
  expect(await agentNamed("rooms")).toMatchObject({ inFlight: 1, due: 0, oldestDueMs: null });
});

test("an Agent that a workflow calls and that has never run is listed without instances", async () => {
  const named = callsOf(halting).map(({ agent }) => agent);
  expect((await list()).map(({ name }) => name)).toEqual([...new Set(named)].toSorted());
  expect(await agentNamed("tickets")).toMatchObject({ living: 0, slots: 0, instances: [] });
});

test("an Agent shows its instances that cannot do what a stored workflow asks, and why", async () => {
  const [step] = callsOf(halting);
  const { agent, operation } = step!;
  const input = { type: "object", properties: { a: { type: "string" } } };
  const contracts = { inputs: { [`${agent}.${operation}`]: input }, outputs: {} };
  const { collection: _, ...definition } = halting;
  await operated.store.registerWorkflow({ ...definition, name: "differing.v1", ...contracts });
  const instance = { ...beat, agent, capacity: 5 };
  await operated.scheduler.recordHeartbeats([
    { ...instance, instance: "differs", operations: [operation], contracts: ["0123456789ab"] },
    { ...instance, instance: "lacks", operations: ["other"], contracts: [""] },
  ]);
  expect(await agentNamed(agent)).toMatchObject({
    unfitFor: expect.arrayContaining(["differing.v1"]),
    differences: expect.arrayContaining([
      expect.objectContaining({
        workflow: "differing.v1",
        offered: null,
        names: ["lacks"],
        reading: "unfit",
        why: `has no operation ${operation}`,
      }),
      expect.objectContaining({
        workflow: "differing.v1",
        offered: "0123456789ab",
        names: ["differs"],
        reading: "unknown",
      }),
    ]),
  });
});

test("a paused Agent shows who paused it, when and why", async () => {
  await operated.act("/v1/agents/payments/pause", asOperator);
  expect(await agentNamed("payments")).toMatchObject({
    paused: {
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      by: recorded.actor,
      reason: asOperator.reason,
    },
  });
});

test("the list of Agents is refused without the operator's token", async () => {
  const response = await operated.app.inject({ url: "/v1/agents" });
  expect(response.json()).toMatchObject({ status: 401, code: "auth.token_missing" });
});
