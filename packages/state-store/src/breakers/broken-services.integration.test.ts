import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { openTestStores, type TestStore } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let operations: StateStore;
let scheduler: StateStore;
beforeAll(async () => {
  ({ db, operations, scheduler } = await openTestStores());
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("breakers", "agents", "remotes"));

const service = "agent";
const open = () =>
  scheduler.openBreakers({ services: [{ service, reason: "it fails" }], actor: "scheduler-1" });

describe("a service is broken", () => {
  const beat = (instance: string, breakerState: "closed" | "open" | "half-open") => ({
    agent: "agent",
    instance,
    capacity: 10,
    inFlight: 0,
    breaker: breakerState,
    openForMs: 0,
  });
  const broken = async (...states: readonly Parameters<typeof beat>[1][]) => {
    const beats = states.map((state, index) => beat(`instance ${index}`, state));
    if (beats.length > 0) await scheduler.recordHeartbeats(beats);
    return scheduler.findBrokenServices();
  };

  test("when every instance of its Agents has an open circuit", async () => {
    expect(await broken()).toEqual([]);
    expect(await broken("open", "closed")).toEqual([]);
    expect(await broken("open", "half-open")).toEqual([]);
    expect(await broken("open", "open")).toEqual([{ service, instances: 2 }]);
  });

  test("by instances that run: one without a heartbeat for long is not asked", async () => {
    await broken("open", "closed");
    await db.query("update state.agents set lives_until = now() where breaker = 'closed'");
    expect(await broken()).toEqual([{ service, instances: 1 }]);
  });

  test("not by heartbeats from before its breaker was closed", async () => {
    await broken("open");
    await open();
    expect(await broken()).toEqual([]);
    await operations.closeBreaker({ service, actor: "ann", reason: "repaired" });
    expect(await broken()).toEqual([]);
    expect(await broken("open")).toEqual([{ service, instances: 1 }]);
  });

  test("when the instances of all Agents that wrap it have an open circuit", async () => {
    await db.query(
      "insert into state.remotes values ('agent', 'psp', false), ('other', 'psp', false)",
    );
    const other = { ...beat("other", "open"), agent: "other" };
    await scheduler.recordHeartbeats([{ ...other, breaker: "closed" }]);
    expect(await broken("open")).toEqual([]);
    await scheduler.recordHeartbeats([other]);
    expect(await broken("open")).toEqual([{ service: "psp", instances: 2 }]);
    expect(await scheduler.findAgentServices()).toEqual(
      expect.arrayContaining([
        { agent: "agent", service: "psp" },
        { agent: "other", service: "psp" },
      ]),
    );
  });
});
