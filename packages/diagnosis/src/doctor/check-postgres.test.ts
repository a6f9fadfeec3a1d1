import type { ServerFacts } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { wrongs } from "../../test/broker-facts.ts";
import { checkClock } from "./check-clock.ts";
import { checkClockJump } from "./check-clock-jump.ts";
import { checkPartitions } from "./check-partitions.ts";
import { checkPooler, checkSchema } from "./check-schema.ts";
import { checkServer } from "./check-server.ts";
import { checkVacuum } from "./check-vacuum.ts";

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
  encoding: "UTF8",
  places: 97,
  connections: 12,
  seesAllSessions: true,
  now: 0,
};

describe("of Postgres", () => {
  test.each<readonly [Partial<ServerFacts>, string]>([
    [{ version: "14.9", major: 14 }, "store.version: Postgres 14.9 is older"],
    [{ isStandby: true }, "store.primary: this is a standby"],
    [{ fsync: false }, "store.durability: fsync is off"],
    [{ fullPageWrites: false }, "store.durability: full_page_writes is off"],
    [{ synchronousCommit: "off" }, "store.durability: synchronous_commit is off"],
    [{ encoding: "LATIN1" }, "store.encoding: the database is in LATIN1"],
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

  test("a clock that holdfast dev has advanced is fine, and its finding says so", () => {
    const facts = { now: 3 * day, latest: 3 * day, trustedAt: 0, aheadSince: null };
    expect(wrongs([checkClockJump(facts, 3 * day)])).toEqual([]);
    expect(wrongs([checkClockJump(facts)])).toHaveLength(1);
    expect(checkClock([{ before: 0, store: 5, after: 10 }], 3 * day)).toMatchObject([
      { state: "fine", text: expect.stringContaining("apart from the 3 d of holdfast dev") },
    ]);
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
