import { replyQueue } from "@holdfast/contracts";
import type { BrokerFacts, ManagedQueue, QueueFacts } from "@holdfast/messaging";
import type { AgentNeed, ServerFacts } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { duration } from "../print/duration.ts";
import { checkAgents } from "./check-agents.ts";
import { checkBroker } from "./check-broker.ts";
import { checkClock } from "./check-clock.ts";
import { checkClockJump } from "./check-clock-jump.ts";
import { checkPartitions } from "./check-partitions.ts";
import { checkQueues } from "./check-queues.ts";
import { checkPooler, checkSchema } from "./check-schema.ts";
import { checkServer } from "./check-server.ts";
import { checkVacuum } from "./check-vacuum.ts";
import type { Finding } from "./finding.ts";

const day = 86_400_000;

const server: ServerFacts = {
  version: "18.4",
  major: 18,
  isStandby: false,
  autovacuum: true,
  trackCounts: true,
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: "on",
  places: 97,
  connections: 12,
  seesAllSessions: true,
  now: 0,
};

const broker: BrokerFacts = {
  version: "4.1.2",
  blocked: null,
  queues: [],
  missingExchanges: [],
  management: { alarms: [], queues: [], bindings: [], connections: 9, maxConnections: null },
};

const managedBroker = (queue: Partial<ManagedQueue>): BrokerFacts => ({
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

const queueOf = (queue: Partial<QueueFacts>): QueueFacts => ({
  name: "agent.payments",
  state: "there",
  messages: 0,
  consumers: 1,
  difference: null,
  ...queue,
});

const wrongs = (findings: readonly Finding[]) =>
  findings.filter(({ state }) => state === "wrong").map(({ code, text }) => `${code}: ${text}`);

describe("of Postgres", () => {
  test.each<readonly [Partial<ServerFacts>, string]>([
    [{ version: "14.9", major: 14 }, "store.version: Postgres 14.9 is older"],
    [{ isStandby: true }, "store.primary: this is a standby"],
    [{ fsync: false }, "store.durability: fsync is off"],
    [{ fullPageWrites: false }, "store.durability: full_page_writes is off"],
    [{ synchronousCommit: "off" }, "store.durability: synchronous_commit is off"],
    [{ connections: 78 }, "store.connections: 78 of 97"],
  ])("%j is wrong", (facts, text) => {
    expect(wrongs(checkServer({ ...server, ...facts }))).toEqual([expect.stringContaining(text)]);
  });

  test("an ordinary server has no problem, nor has one newer than the tested versions", () => {
    expect(wrongs(checkServer(server))).toEqual([]);
    const newer = checkServer({ ...server, version: "19.0", major: 19 });
    expect(wrongs(newer)).toEqual([]);
    expect(newer[0]?.text).toContain("later than what Holdfast is tested on");
  });

  test.each([
    [{ autovacuum: false }, "autovacuum is off"],
    [{ trackCounts: false }, "track_counts is off"],
  ])("%j lets dead rows pile up", (facts, text) => {
    const found = checkVacuum({ server: { ...server, ...facts }, holders: [], tables: [] });
    expect(wrongs(found)).toEqual([expect.stringContaining(`store.vacuum: ${text}`)]);
  });

  test("everything that holds vacuum back is named, with the command that ends it", () => {
    const found = checkVacuum({
      server,
      tables: [{ name: "steps", dead: 90_000, live: 1_000, isOff: false }],
      holders: [
        { kind: "session", name: "77", detail: "psql, ann, idle in transaction", openFor: 7.2e6 },
        { kind: "prepared transaction", name: "tx-1", detail: "ann", openFor: 600_000 },
        { kind: "replication slot", name: "old", detail: "9 transactions behind", openFor: null },
      ],
    });
    expect(found.map(({ text, advice }) => `${text} → ${advice}`)).toEqual([
      expect.stringMatching(/state\.steps has 90000 dead rows.*→ vacuum analyze state\.steps/),
      expect.stringMatching(/idle in transaction\) has been open for 2 h.*terminate_backend\(77\)/),
      expect.stringMatching(/tx-1.*10 min.*→ end it: rollback prepared 'tx-1'/),
      expect.stringMatching(/slot old is 9 transactions behind.*drop_replication_slot\('old'\)/),
    ]);
  });

  test.each([
    [{ months: 2, hasNext: true }, []],
    [{ months: 36, hasNext: true }, []],
    [{ months: 37, hasNext: true }, ["store.partitions: there are partitions for 37 months"]],
    [{ months: 2, hasNext: false }, ["store.partitions: there is no partition for the next month"]],
  ])("partitions: %j", (partitions, expected) => {
    expect(wrongs(checkPartitions(partitions))).toEqual(expected);
  });

  test("a schema is right, incomplete, missing, of a later release, or of an earlier checkout", () => {
    const [applied, none] = [["0001_holdfast", "0002_x"], [] as string[]];
    expect(wrongs(checkSchema({ applied, pending: none, unknown: none }))).toEqual([]);
    expect(wrongs(checkSchema({ applied, pending: none, unknown: ["0002_x"] }))).toEqual([]);
    expect(wrongs(checkSchema({ applied, pending: ["0003_x"], unknown: none }))).toEqual([
      "store.schema: migrations are missing: 0003_x",
    ]);
    const gone = { applied: ["0001_gone"], pending: applied, unknown: ["0001_gone"] };
    expect(wrongs(checkSchema(gone))).toEqual([
      "store.schema: an earlier checkout of Holdfast made this store, which cannot be upgraded: 0001_gone",
    ]);
    expect(wrongs(checkSchema({ applied: none, pending: applied, unknown: none }))).toEqual([
      "store.schema: there is no state store in this database",
    ]);
  });

  test.each([
    ["none", "kept", []],
    ["session", "kept", []],
    ["transaction", "kept", []],
    ["transaction", "lost", ["do not arrive"]],
    ["session", "refused", ["cannot connect"]],
  ] as const)("a pooler (%s) with start-up options %s", (pooler, options, expected) => {
    expect(wrongs(checkPooler({ pooler, options }))).toEqual(
      expected.map((text) => expect.stringContaining(text)),
    );
  });

  test.each([
    [[{ before: 0, store: 400, after: 10 }], 0],
    [[{ before: 0, store: 5_000, after: 10 }], 1],
    [[{ before: 0, store: -5_000, after: 10 }], 1],
    // The answer may have been given at any time between.
    [[{ before: 0, store: 9_000, after: 10_000 }], 0],
    // The quickest look counts.
    [
      [
        { before: 0, store: 9_000, after: 10_000 },
        { before: 20_000, store: 25_000, after: 20_010 },
      ],
      1,
    ],
  ])("clocks that say %j", (samples, expected) => {
    expect(wrongs(checkClock(samples))).toHaveLength(expected);
  });

  test.each([
    [{}, []],
    // NTP corrects as much.
    [{ latest: day + 900 }, []],
    [{ latest: day + 5_000 }, ["was set back by 5 s or more"]],
    [{ trustedAt: -day / 24 }, []],
    [{ trustedAt: -2 * day }, ["is 3 d ahead of the last time that a Supervisor trusted"]],
    [{ trustedAt: -2 * day, aheadSince: day }, ["seen at 1970-01-02T00:00:00.000Z"]],
  ] as const)("a clock of Postgres that says %j", (facts, expected) => {
    const usual = { now: day, latest: day, trustedAt: day, aheadSince: null };
    expect(wrongs([checkClockJump({ ...usual, ...facts })])).toEqual(
      expected.map((text) => expect.stringContaining(text)),
    );
  });
});

describe("of RabbitMQ", () => {
  test.each<readonly [Partial<BrokerFacts>, string]>([
    [{ version: "3.9.29" }, "broker.version: RabbitMQ 3.9.29 is older"],
    [{ blocked: "low on memory" }, "broker.alarms: an alarm is on (low on memory)"],
  ])("%j is wrong", (facts, text) => {
    expect(wrongs(checkBroker({ ...broker, ...facts }))).toEqual([expect.stringContaining(text)]);
  });

  test.each(["3.10.8", "3.13.7", "4.0.5", "4.3.0", "4.4.0"])("%s will do", (version) => {
    expect(wrongs(checkBroker({ ...broker, version }))).toEqual([]);
  });

  test("an alarm is reported once, whichever source shows it", () => {
    const management = { ...managedBroker({}).management, alarms: ["disk space"] } as never;
    expect(wrongs(checkBroker({ ...broker, blocked: "low on disk", management }))).toEqual([
      expect.stringContaining("an alarm is on (disk space)"),
    ]);
  });

  test("a queue without a leader is reported as that and nothing else", () => {
    const queues = [queueOf({ name: replyQueue, state: "silent", consumers: 0 })];
    expect(wrongs(checkQueues({ ...broker, management: null, queues }))).toEqual([
      "broker.leaders: the queue scheduler.replies takes no consumer: it seems to have no leader",
    ]);
  });

  test("a queue without all of its replicas is a problem", () => {
    expect(wrongs(checkQueues(managedBroker({ online: 2 })))).toContain(
      "broker.replicas: agent.payments has 2 of 3 replicas",
    );
  });

  test("a policy that raises the delivery limit changes nothing", () => {
    const harmless = managedBroker({
      policy: "p",
      arguments: { "x-delivery-limit": 20 },
      definition: { "delivery-limit": 50 },
    });
    expect(wrongs(checkQueues(harmless)).filter((text) => text.includes("policies"))).toEqual([]);
  });

  test("a missing exchange is a problem", () => {
    const facts = { ...broker, missingExchanges: ["holdfast.replies"] };
    expect(wrongs(checkQueues(facts))).toContain(
      "broker.topology: the exchange holdfast.replies is missing",
    );
  });
});

describe("of Agents", () => {
  const need: AgentNeed = {
    agent: "payments",
    workflows: ["a.v1", "b.v1"],
    longest: 60_000,
    longestStep: "a.v1/charge",
    openSteps: 1,
  };
  const look = (
    facts: BrokerFacts,
    longest = need.longest,
    consumerTimeout: number | null = null,
  ) => wrongs(checkAgents({ needs: [{ ...need, longest }], broker: facts, consumerTimeout }));

  test("an Agent without a consumer is named with the workflows that need it", () => {
    expect(look({ ...broker, queues: [queueOf({ consumers: 0 })] })).toEqual([
      "agents.absent: no process serves the Agent payments: a.v1, b.v1 need it, and 1 of its steps is open",
    ]);
  });

  test.each<readonly [string, Partial<ManagedQueue>, number, number | null, number]>([
    ["half an hour by itself", {}, 30 * 60_000, null, 1],
    ["as long as was said", {}, 30 * 60_000, 31 * 60_000, 0],
    ["what the queue says", { arguments: { "x-consumer-timeout": 50_000 } }, 60_000, null, 1],
    ["what a policy says", { definition: { "consumer-timeout": 7_200_000 } }, 3_600_000, null, 0],
  ])("the broker waits %s", (_, queue, longest, said, expected) => {
    expect(look(managedBroker(queue), longest, said)).toHaveLength(expected);
  });

  test("no Agent is missing if no workflow is stored", () => {
    const found = checkAgents({ needs: [], broker, consumerTimeout: null });
    expect(found.map(({ state, text }) => [state, text])).toEqual([
      ["fine", "no workflow is stored yet"],
    ]);
  });
});

test.each([
  [0, "0 ms"],
  [1_999, "1999 ms"],
  [2_000, "2 s"],
  [119_000, "119 s"],
  [7_200_000, "2 h"],
  [172_800_000, "2 d"],
])("%i milliseconds are %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});
