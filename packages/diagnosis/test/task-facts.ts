import type { BreakerFacts, LaneFacts, SeenInstance, StepFacts } from "@holdfast/state-store";
import type { BrokerView } from "../src/causes/system-facts.ts";
import type { Facts } from "../src/why/facts.ts";

/** The instant at which the facts were read, for tests. */
export const noon = Date.UTC(2026, 0, 1, 12);

export const charge: StepFacts = {
  name: "charge",
  kind: "call",
  agent: "payments",
  processState: "pending",
  attempt: 0,
  failureCount: 0,
  requeueCount: 0,
  admitted: true,
  faultCode: null,
  faultDetail: null,
  lockedBy: null,
  confirmed: false,
  startBy: null,
  completeBy: null,
  startedAt: null,
  heartbeatAt: null,
  progress: null,
  notBefore: noon - 5_000,
  band: 2,
  fairnessKey: null,
  fairnessWeight: null,
  dueBefore: [1, 0, 2],
  keysBefore: [],
  approvals: null,
  lastAction: "plan",
  lastReason: null,
  lastActor: null,
  since: noon - 5_000,
};

export const lane: LaneFacts = {
  agent: "payments",
  inFlight: 7,
  paused: null,
  instances: 2,
  slots: [100, 300],
  broken: 0,
  brokenUntil: null,
  lastSeen: null,
  announces: true,
  breaker: null,
};

/** An open breaker of the remote service behind it. */
export const breaker: BreakerFacts = {
  service: "psp",
  state: "open",
  reason: "10 attempts in a row failed, the last with psp.down",
  by: "scheduler-1",
  since: noon - 3_000,
  held: false,
  openUntil: noon + 2_000,
  throttledUntil: null,
  probe: null,
  due: 12,
  lastFault: null,
};

export const broker: BrokerView = {
  unreachable: null,
  blocked: null,
  schedulers: 2,
  consumers: { payments: 2 },
};

const instanceOf = (service: SeenInstance["service"]): SeenInstance => ({
  service,
  instance: `${service}-1`,
  version: "0.1.0",
  slots: null,
  takesEnqueued: service === "submission",
  startedAt: new Date(noon - 60_000),
  seenAt: new Date(noon),
  living: true,
});

/** A Scheduler, a Supervisor and a process of submission that run. */
export const instances = [
  instanceOf("scheduler"),
  instanceOf("supervisor"),
  instanceOf("submission"),
];

/** The facts of a task that waits for its charge, which is due. */
export const facts: Facts = {
  workflow: "shopping.v1",
  goal: "do",
  processState: "processing",
  faultCode: null,
  createdAt: noon - 60_000,
  finishedAt: null,
  completeBy: null,
  paused: null,
  workflowPaused: null,
  activated: null,
  now: noon,
  steps: [charge],
  lanes: [lane],
  plan: null,
  broker,
  stalledConsumers: [],
  unproven: [],
  outages: [],
  instances,
  inFlightLimits: [200, 200],
};

export const pause = { at: noon - 60_000, by: "ann", reason: "stock-taking" };
