import type { BrokerFacts, ManagedQueue, QueueFacts } from "@holdfast/messaging";
import type { Finding } from "../src/doctor/finding.ts";

/** A broker without a problem, for tests. */
export const broker: BrokerFacts = {
  version: "4.1.2",
  blocked: null,
  queues: [],
  missingExchanges: [],
  owner: null,
  management: { alarms: [], queues: [], bindings: [], connections: 9, maxConnections: null },
};

/** A broker with one queue, of which the HTTP API says this. */
export const managedBroker = (queue: Partial<ManagedQueue>): BrokerFacts => ({
  ...broker,
  queues: [queueOf({ name: "agent.payments" })],
  management: {
    alarms: [],
    bindings: [],
    connections: 1,
    maxConnections: null,
    queues: [
      {
        name: "agent.payments",
        arguments: {},
        messages: null,
        consumers: null,
        policy: null,
        definition: {},
        members: 3,
        online: 3,
        ...queue,
      },
    ],
  },
});

export const queueOf = (queue: Partial<QueueFacts>): QueueFacts => ({
  name: "agent.payments",
  state: "there",
  messages: 0,
  consumers: 1,
  difference: null,
  ...queue,
});

export const wrongs = (findings: readonly Finding[]) =>
  findings.filter(({ state }) => state === "wrong").map(({ code, text }) => `${code}: ${text}`);
