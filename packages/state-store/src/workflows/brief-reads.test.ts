import { expect, test } from "@jest/globals";
import { testWorkflow } from "../../test/fixtures.ts";
import type { Database } from "../postgres/query.ts";
import { untilQuick } from "../postgres/transaction.ts";
import { briefReads, type StoredWorkflow, storedWorkflow } from "./workflow-catalog.ts";

const [pool, transaction] = ["pool", "transaction"] as unknown as readonly [Database, Database];

/** A catalog that keeps nothing, and notes where it read. */
function forgetful() {
  const reads: string[] = [];
  return {
    reads,
    known: () => undefined,
    async find(db: Database, name: string): Promise<StoredWorkflow> {
      reads.push(`${name} in ${db === pool ? "pool" : "transaction"}`);
      return storedWorkflow(testWorkflow([{ name: "a" }]));
    },
  };
}

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `w${index}.v1`);

/** Loads tasks of so many workflows, as a batch does. Resolves to the number of transactions. */
async function load(catalog: Parameters<typeof briefReads>[0], count: number): Promise<number> {
  const reads = briefReads(catalog, pool);
  let transactions = 0;
  await untilQuick(async () => {
    transactions += 1;
    const find = reads.begin();
    await Promise.all(namesOf(count).map(async (name) => find(transaction, name)));
  });
  return transactions;
}

test("the workflows of a usual batch are read in its transaction", async () => {
  const catalog = forgetful();
  expect(await load(catalog, 4)).toBe(1);
  expect(catalog.reads).toHaveLength(4);
});

test("of a batch with tasks of many workflows four are read in its transaction, all others before the next one", async () => {
  const catalog = forgetful();
  expect(await load(catalog, 200)).toBe(2);
  const held = catalog.reads.filter((read) => read.endsWith("in transaction"));
  expect(held).toHaveLength(4);
  // Each is read once, though the catalog keeps none.
  expect(catalog.reads).toHaveLength(200);
});

test("workflows that are known are not counted", async () => {
  const known = storedWorkflow(testWorkflow([{ name: "a" }]));
  expect(await load({ ...forgetful(), known: () => known }, 200)).toBe(1);
});
