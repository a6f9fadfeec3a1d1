import { AgentHeartbeat, StepProgress } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import { systemClock } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { recordHeartbeats } from "./record-heartbeats.ts";

const progressUnder = (routingKey: string): Delivery =>
  ({
    type: StepProgress.type,
    routingKey,
    body: StepProgress.encode({ attempts: [], unansweredMs: 1_000 }),
  }) as Delivery;

const beat = {
  type: AgentHeartbeat.type,
  routingKey: "heartbeat.inventory",
  body: AgentHeartbeat.encode({
    agent: "inventory",
    instance: "inventory-1",
    capacity: 1,
    inFlight: 0,
    breaker: "closed",
    openForMs: 0,
  }),
} as Delivery;

test.each([
  ["has a NUL", "heartbeat.a\u0000b"],
  ["is longer than a name", `heartbeat.${"x".repeat(201)}`],
  ["is empty", "heartbeat."],
  ["is missing", "heartbeat"],
])(
  "progress is unreadable whose Agent's name in the route %s, and the others are recorded",
  async (_, routingKey) => {
    const heard: string[] = [];
    const outages: string[] = [];
    const record = recordHeartbeats({
      store: {
        recordHeartbeats: async (beats) => void heard.push(...beats.map(({ agent }) => agent)),
        recordAttemptSigns: async () => {},
        rememberOutage: async ({ part }) => void outages.push(part),
      },
      clock: systemClock,
      log: { warn: () => {} } as never,
    });
    await record([progressUnder(routingKey), beat, progressUnder("heartbeat.payments")]);
    expect({ heard, outages }).toEqual({ heard: ["inventory"], outages: ["agent payments"] });
  },
);
