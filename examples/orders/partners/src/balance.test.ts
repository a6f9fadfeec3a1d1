import { expect, test } from "@jest/globals";
import { balanceOf } from "./balance.ts";
import type { LedgerEntry } from "./ledger-entry.ts";

const place = { at: "2026-01-01T00:00:00.000Z", partner: "payments", resource: "charges" } as const;
const applied = (key: string): LedgerEntry => ({
  ...place,
  kind: "applied",
  seq: 1,
  key,
  requestHash: "",
  amounts: { EUR: 5 },
  answer: {},
});

test("a key whose effect happened twice is named", () => {
  const { appliedTwice, keys, totals } = balanceOf([applied("a"), applied("b"), applied("a")]);
  expect(appliedTwice).toEqual(["a"]);
  expect(keys.map(({ key, net }) => [key, net])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
  expect(totals).toEqual({ payments: { EUR: 15 } });
});

test("a tombstone is no effect", () => {
  const tombstone: LedgerEntry = { ...place, kind: "tombstone", seq: 1, key: "a" };
  expect(balanceOf([tombstone])).toMatchObject({
    keys: [{ key: "a", applied: 0, undone: 0, net: 0 }],
    totals: { payments: {} },
  });
});
